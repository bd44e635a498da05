"""The devices of one table, real or simulated, wired to the sensor pipeline; self-test and calibration files."""
