# The first process cannot be debugged.
# Source: the first attacks
# Escape: the debugger attaches
# Forbidden: ^0$
python3 -c 'import ctypes; print(ctypes.CDLL(None).ptrace(16, 1, 0, 0))'; gdb -p 1 -batch </dev/null
