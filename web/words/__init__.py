"""What is said and asked, and to whom: the words of codes in a viewer's language, the controls of open prompts."""
