"""The data that the table stores about its guests, and the results of their games here."""
