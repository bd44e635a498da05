"""`smugglers backup` and `smugglers restore`: copies of the journal, made and put back."""
