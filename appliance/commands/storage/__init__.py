"""`smugglers backup`, `restore`, `draws` and `support`: what is done with the files of a table."""
