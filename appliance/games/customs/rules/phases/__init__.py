"""What the actions of each phase of Customs do."""
