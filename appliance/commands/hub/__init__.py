"""`smugglers hub`: the hub of many tables, and how a table joins one."""
