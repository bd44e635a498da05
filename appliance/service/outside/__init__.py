"""What the table tells others: public happenings as events, how it stands, webhooks, MQTT."""
