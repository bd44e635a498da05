"""What people read: the catalogues of sentences, and the errors that have one."""
