"""What disturbs a scale more than its calibration saw: noise, and a hum."""
