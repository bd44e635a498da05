"""What the table tells other programs: public happenings as events, its status, webhooks, MQTT."""
