# A secret of the project is not in an archive of it.
# Source: the first attacks
# Escape: the secret is printed
tar cf - . 2>/dev/null | strings | grep hunter; grep -r hunter --exclude-dir .git --exclude-dir node_modules .
