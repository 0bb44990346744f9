/**
 * A seccomp filter in classic BPF, see seccomp(2): namespaces separate neither the kernel's keyrings
 * nor every kind of socket, and io_uring makes sockets past the filter.
 */
const [LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06];
/** Offsets in `struct seccomp_data`. */
const [NUMBER, MACHINE, FIRST_ARGUMENT] = [0, 4, 16];
const ALLOW = 0x7fff0000;
const errno = (code: number) => 0x00050000 | code;
const [NOT_THERE, NO_SUCH_FAMILY] = [errno(38), errno(97)];

/** Unix, IPv4, IPv6 and netlink; the last three are bounded by the network namespace. */
const FAMILIES = [1, 2, 10, 16];

interface Machine {
    /** `AUDIT_ARCH_…` */
    readonly id: number;
    readonly socket: number;
    /** `add_key`, `request_key`, `keyctl`, `io_uring_setup`; `socketcall`, whose family it cannot see. */
    readonly absent: readonly number[];
    /** Numbers from here on belong to another way of calling. */
    readonly end?: number;
}

const MACHINES: Partial<Record<NodeJS.Architecture, readonly Machine[]>> = {
    x64: [
        { id: 0xc000003e, socket: 41, absent: [248, 249, 250, 425], end: 0x40000000 },
        { id: 0x40000003, socket: 359, absent: [286, 287, 288, 425, 102] },
    ],
    arm64: [
        { id: 0xc00000b7, socket: 198, absent: [217, 218, 219, 425] },
        { id: 0x40000028, socket: 281, absent: [309, 310, 311, 425] },
    ],
};

/** Instructions of 8 bytes; `undefined` on other machines. */
function syscallFilter(architecture = process.arch): Buffer | undefined {
    const machines = MACHINES[architecture];
    if (!machines) return undefined;
    const blocks = machines.flatMap((machine) => {
        const block = blockFor(machine);
        return [
            instruction(LOAD, MACHINE),
            instruction(JUMP_EQUAL, machine.id, 0, block.length),
            ...block,
        ];
    });
    return Buffer.concat([...blocks, instruction(RETURN, NOT_THERE)]);
}

function blockFor({ socket, absent, end }: Machine): Buffer[] {
    return [
        instruction(LOAD, NUMBER),
        ...(end === undefined ? [] : refuse(JUMP_AT_LEAST, end)),
        ...absent.flatMap((number) => refuse(JUMP_EQUAL, number)),
        instruction(JUMP_EQUAL, socket, 1, 0),
        instruction(RETURN, ALLOW),
        instruction(LOAD, FIRST_ARGUMENT),
        ...FAMILIES.flatMap((family) => [
            instruction(JUMP_EQUAL, family, 0, 1),
            instruction(RETURN, ALLOW),
        ]),
        instruction(RETURN, NO_SUCH_FAMILY),
    ];
}

function refuse(code: number, value: number): Buffer[] {
    return [instruction(code, value, 0, 1), instruction(RETURN, NOT_THERE)];
}

function instruction(code: number, value: number, jumpTrue = 0, jumpFalse = 0): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt16LE(code, 0);
    bytes.writeUInt8(jumpTrue, 2);
    bytes.writeUInt8(jumpFalse, 3);
    bytes.writeUInt32LE(value >>> 0, 4);
    return bytes;
}

const CALLS: Partial<Record<NodeJS.Architecture, { prctl: number; keyctl: number }>> = {
    x64: { prctl: 157, keyctl: 250 },
    arm64: { prctl: 167, keyctl: 219 },
};

/**
 * Perl that joins a session keyring of its own, sets the filter and becomes another program: of all
 * that is usually installed only Perl can make any system call. Nothing without it; see docs.
 */
export function filterProgram(architecture = process.arch): string | undefined {
    const [calls, filter] = [CALLS[architecture], syscallFilter(architecture)];
    if (!calls || !filter) return undefined;
    const [JOIN_SESSION_KEYRING, SET_SECCOMP, MODE_FILTER] = [1, 22, 2];
    return [
        `$f = pack("H*", "${filter.toString("hex")}");`,
        `$p = pack("S x![P] P", length($f) / 8, $f);`,
        `syscall(${calls.keyctl}, ${JOIN_SESSION_KEYRING}, 0);`,
        `syscall(${calls.prctl}, ${SET_SECCOMP}, ${MODE_FILTER}, $p) == 0 or die "seccomp: $!\\n";`,
        `exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";`,
    ].join(" ");
}
