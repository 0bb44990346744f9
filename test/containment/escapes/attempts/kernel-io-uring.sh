# Asynchronous calls reach no farther than the others.
# Source: third review, held
# Escape: a trace appears
python3 - <<'END'
import ctypes, os
system = ctypes.CDLL(None, use_errno=True)
parameters = ctypes.create_string_buffer(120)
print(system.syscall(425, 8, parameters))
END
echo x >/etc/north-was-here
