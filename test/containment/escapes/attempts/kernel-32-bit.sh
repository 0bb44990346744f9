# Calls as of a 32-bit program reach no farther than the others.
# Source: attack on the supervisor
# Escape: one of them succeeds
# Forbidden: ^did
python3 - <<'END'
import ctypes, mmap, os, platform, sys
if platform.machine() != "x86_64": sys.exit()
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
# push rbx; mov eax, edi; mov ebx, esi; mov ecx, edx; xor edx, edx; xor esi, esi; int 0x80; pop rbx; ret
code.write(bytes.fromhex("53 89f8 89f3 89d1 31d2 31f6 cd80 5b c3"))
call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
# keyctl, request_key, socket, socketcall, io_uring_setup, unshare, bpf; then x32 getpid
for number, one, two in [(288, 0, -3), (287, 0, 0), (359, 40, 1), (102, 1, 0), (425, 1, 0), (310, 0x10000000, 0), (357, 0, 0)]:
    child = os.fork()
    if child == 0:
        answer = call(number, one, two)
        print("did" if answer >= 0 else "refused", number, answer, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
print("did x32" if ctypes.CDLL(None).syscall(0x40000000 | 39) >= 0 else "refused x32")
END
