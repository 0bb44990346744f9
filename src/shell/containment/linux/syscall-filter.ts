import type { NUMBERS } from "./system-calls.js";

/**
 * Seccomp filters in classic BPF, see seccomp(2). In namespaces, one for what they do not separate:
 * the kernel's keyrings and some kinds of sockets, and io_uring, which makes sockets past the filter.
 * With Landlock, one for all that it does not restrict.
 */
const [LOAD, AND, JUMP, JUMP_EQUAL, JUMP_AT_LEAST, RETURN] = [0x20, 0x54, 0x05, 0x15, 0x35, 0x06];
/** Offsets in `struct seccomp_data`; arguments have two halves of 4 bytes. */
const [NUMBER, MACHINE, ARGUMENTS] = [0, 4, 16];
const ALLOW = 0x7fff0000;
const errno = (code: number) => 0x00050000 | code;
const [
    NOT_PERMITTED,
    DENIED,
    NO_SUCH_IOCTL,
    NOT_THERE,
    NOT_SUPPORTED,
    NO_SUCH_FAMILY,
    UNREACHABLE,
] = [errno(1), errno(13), errno(25), errno(38), errno(95), errno(97), errno(101)];

/** A test of an argument: its lower half, or the bits of the mask, are one of these values. */
interface ArgumentIs {
    readonly argument: number;
    readonly values: readonly number[];
    readonly mask?: number;
}

/** The answer to a call whose arguments pass all tests. */
interface SyscallCase {
    readonly when: readonly ArgumentIs[];
    readonly answer: number;
}

/** What happens to a system call; the first case that fits, otherwise `answer`. */
interface SyscallRule {
    readonly number: number;
    readonly cases?: readonly SyscallCase[];
    readonly answer: number;
}

interface Machine {
    /** `AUDIT_ARCH_…` */
    readonly id: number;
    readonly rules: readonly SyscallRule[];
    /** Numbers from here on belong to another way of calling. */
    readonly end?: number;
}

const [X64, I386, ARM64, ARM] = [0xc000003e, 0x40000003, 0xc00000b7, 0x40000028];
/** Numbers of x64 from here on are those of x32. */
const X32 = 0x40000000;

const [UNIX, INET, INET6, NETLINK] = [1, 2, 10, 16];

/**
 * `socket` and `socketpair`; `add_key`, `request_key`, `keyctl`, `io_uring_setup`, and `socketcall`,
 * whose family it cannot see.
 */
function rulesInNamespaces(
    sockets: readonly number[],
    absent: readonly number[]
): readonly SyscallRule[] {
    // The last three are bounded by the network namespace.
    const families = { argument: 0, values: [UNIX, INET, INET6, NETLINK] };
    const cases = [{ when: [families], answer: ALLOW }];
    return [
        ...absent.map((number) => ({ number, answer: NOT_THERE })),
        ...sockets.map((number) => ({ number, cases, answer: NO_SUCH_FAMILY })),
    ];
}

const IN_NAMESPACES: Record<keyof typeof NUMBERS, readonly Machine[]> = {
    x64: [
        { id: X64, rules: rulesInNamespaces([41, 53], [248, 249, 250, 425]), end: X32 },
        { id: I386, rules: rulesInNamespaces([359, 360], [286, 287, 288, 425, 102]) },
    ],
    arm64: [
        { id: ARM64, rules: rulesInNamespaces([198, 199], [217, 218, 219, 425]) },
        { id: ARM, rules: rulesInNamespaces([281, 288], [309, 310, 311, 425]) },
    ],
};

/** System calls by what they do; numbers on x64 and arm64, `-` where there is none. */
const CALLS = {
    /** chmod, fchmod, fchmodat, fchmodat2, chown, fchown, lchown, fchownat, utime, utimes, futimesat,
     *  utimensat, setxattr, lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr,
     *  setxattrat, removexattrat, file_setattr */
    properties: [
        "90 91 268 452 92 93 94 260 132 235 261 280 188 189 190 197 198 199 463 466 469",
        "- 52 53 452 - 55 - 54 - - - 88 5 6 7 14 15 16 463 466 469",
    ],
    /** getxattr, lgetxattr, fgetxattr, listxattr, llistxattr, flistxattr, getxattrat, listxattrat,
     *  which Landlock leaves open for hidden files */
    attributes: ["191 192 193 194 195 196 464 465", "8 9 10 11 12 13 464 465"],
    /** truncate, which Landlock restricts since its third version */
    truncate: ["76", "45"],
    /** open, openat: with O_TRUNC they truncate what was opened to be read */
    open: ["2", "-"],
    openat: ["257", "56"],
    /** openat2, whose flags are in memory */
    openat2: ["437", "437"],
    ioctl: ["16", "29"],
    fcntl: ["72", "25"],
    socket: ["41", "198"],
    socketpair: ["53", "199"],
    /** kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal, which it has
     *  scopes for since its sixth */
    signals: ["62 200 234 129 297 424", "129 130 131 138 240 424"],
    setpriority: ["141", "140"],
    ioprioSet: ["251", "30"],
    /** prlimit64, sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr: the first
     *  argument says whose */
    limits: ["302 142 144 203 314", "261 118 119 122 274"],
    /** shmget, shmat, shmctl, semget, semop, semctl, semtimedop, msgget, msgsnd, msgrcv, msgctl,
     *  mq_open, mq_unlink: memory and queues of other processes */
    shared: [
        "29 30 31 64 65 66 220 68 69 70 71 240 241",
        "194 196 195 190 193 191 192 186 189 188 187 180 181",
    ],
    clone: ["56", "220"],
    unshare: ["272", "97"],
    setns: ["308", "268"],
    /** add_key, request_key, keyctl, io_uring_setup, bpf, perf_event_open, userfaultfd, syslog;
     *  inotify_init, inotify_init1, fanotify_init, which tell who opens hidden files; clone3, whose
     *  flags are in memory: programs use clone instead */
    kernel: [
        "248 249 250 425 321 298 323 103 253 294 300 435",
        "217 218 219 425 280 241 282 116 - 26 262 435",
    ],
} as const;

/**
 * ioctls that change nothing but the descriptor: others also work on what was only opened to be read,
 * such as FS_IOC_SETFLAGS and FS_IOC_ENABLE_VERITY. TCGETS, TCGETS2, TIOCGPGRP, TIOCOUTQ, TIOCGWINSZ,
 * TIOCGSID; FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FIOQSIZE, FIGETBSZ; FS_IOC_GETFLAGS,
 * FS_IOC_GETVERSION, FS_IOC_FIEMAP, FS_IOC_FSGETXATTR; FICLONE, FICLONERANGE, which need one to write.
 */
const READING_IOCTLS = [
    ...[0x5401, 0x802c542a, 0x540f, 0x5411, 0x5413, 0x5429],
    ...[0x541b, 0x5421, 0x5450, 0x5451, 0x5460, 0x2],
    ...[0x80086601, 0x80087601, 0xc020660b, 0x801c581f, 0x40049409, 0x4020940d],
];

/** F_SETOWN, F_SETSIG, F_SETOWN_EX send signals; F_SETLEASE, F_NOTIFY act on who opens a file. */
const FCNTLS_ON_OTHERS = [8, 10, 15, 1024, 1026];

/** O_TRUNC, with O_RDONLY or the access mode that is neither. */
const TRUNCATING = { mask: 0x203, values: [0x200, 0x203] };

/** None of CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NO_NAMESPACE = { argument: 0, mask: 0x7e020080, values: [0] };

/** SOCK_STREAM, SOCK_SEQPACKET; a pair of SOCK_DGRAM can send to any socket. */
const CONNECTED_PAIR = { argument: 1, mask: 0xf, values: [1, 5] };

/** What the version of Landlock that is there leaves to the filter. */
interface Unrestricted {
    readonly truncate: boolean;
    readonly signals: boolean;
}

function rulesWithLandlock(
    column: 0 | 1,
    { truncate, signals }: Unrestricted
): readonly SyscallRule[] {
    const numbers = (name: keyof typeof CALLS) =>
        CALLS[name][column]
            .split(" ")
            .filter((each) => each !== "-")
            .map(Number);
    const refused = (name: keyof typeof CALLS, answer: number) =>
        numbers(name).map((number): SyscallRule => ({ number, answer }));
    const unless = (
        name: keyof typeof CALLS,
        answer: number,
        ...cases: readonly SyscallCase[]
    ): SyscallRule[] => numbers(name).map((number) => ({ number, cases, answer }));
    const allowed = (...when: readonly ArgumentIs[]) => ({ when, answer: ALLOW });
    const itself = (argument: number) => ({ argument, values: [0] });
    const refusedIf = (name: keyof typeof CALLS, test: ArgumentIs, answer: number) =>
        unless(name, ALLOW, { when: [test], answer });
    return [
        ...refused("properties", NOT_PERMITTED),
        ...refused("attributes", NOT_SUPPORTED),
        ...(truncate
            ? [
                  ...refused("truncate", DENIED),
                  ...refusedIf("open", { argument: 1, ...TRUNCATING }, DENIED),
                  ...refusedIf("openat", { argument: 2, ...TRUNCATING }, DENIED),
                  ...refused("openat2", NOT_THERE),
              ]
            : []),
        ...(signals ? refused("signals", NOT_PERMITTED) : []),
        ...refused("shared", NOT_PERMITTED),
        ...refused("kernel", NOT_THERE),
        // In a user namespace of its own it would have capabilities there.
        ...unless("clone", NOT_PERMITTED, allowed(NO_NAMESPACE)),
        ...unless("unshare", NOT_PERMITTED, allowed(NO_NAMESPACE)),
        ...refused("setns", NOT_PERMITTED),
        // For 0, the other kinds mean all processes of the user: PRIO_USER, IOPRIO_WHO_USER.
        ...unless("setpriority", NOT_PERMITTED, allowed({ argument: 0, values: [0] }, itself(1))),
        ...unless("ioprioSet", NOT_PERMITTED, allowed({ argument: 0, values: [1] }, itself(1))),
        ...unless("limits", NOT_PERMITTED, allowed(itself(0))),
        ...unless("ioctl", NO_SUCH_IOCTL, allowed({ argument: 1, values: READING_IOCTLS })),
        ...refusedIf("fcntl", { argument: 1, values: FCNTLS_ON_OTHERS }, NOT_PERMITTED),
        ...unless(
            "socket",
            UNREACHABLE,
            { when: [{ argument: 0, values: [UNIX] }], answer: DENIED },
            // NETLINK_ROUTE tells about interfaces, and changes nothing without capabilities.
            allowed({ argument: 0, values: [NETLINK] }, { argument: 2, values: [0] })
        ),
        ...unless("socketpair", DENIED, allowed({ argument: 0, values: [UNIX] }, CONNECTED_PAIR)),
    ];
}

/** Instructions of 8 bytes. */
function syscallFilter(machines: readonly Machine[]): Buffer {
    const blocks = machines.flatMap((machine) => {
        const block = blockFor(machine);
        return [
            instruction(LOAD, MACHINE),
            instruction(JUMP_EQUAL, machine.id, 1, 0),
            // Further than a conditional jump can go.
            instruction(JUMP, block.length),
            ...block,
        ];
    });
    return Buffer.concat([...blocks, instruction(RETURN, NOT_THERE)]);
}

function blockFor({ rules, end }: Machine): Buffer[] {
    return [
        instruction(LOAD, NUMBER),
        ...(end === undefined
            ? []
            : [instruction(JUMP_AT_LEAST, end, 0, 1), instruction(RETURN, NOT_THERE)]),
        ...rules.flatMap((rule) => {
            const answer = answerTo(rule);
            return [instruction(JUMP_EQUAL, rule.number, 0, answer.length), ...answer];
        }),
        instruction(RETURN, ALLOW),
    ];
}

function answerTo({ cases = [], answer }: SyscallRule): Buffer[] {
    return [...cases.flatMap(blockForCase), instruction(RETURN, answer)];
}

function blockForCase({ when, answer }: SyscallCase): Buffer[] {
    return when.reduceRight(
        (block, { argument, mask, values }) => [
            instruction(LOAD, ARGUMENTS + 8 * argument),
            ...(mask === undefined ? [] : [instruction(AND, mask)]),
            ...values.map((value, index) =>
                instruction(JUMP_EQUAL, value, values.length - index, 0)
            ),
            instruction(JUMP, block.length),
            ...block,
        ],
        [instruction(RETURN, answer)]
    );
}

function instruction(code: number, value: number, jumpTrue = 0, jumpFalse = 0): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt16LE(code, 0);
    bytes.writeUInt8(jumpTrue, 2);
    bytes.writeUInt8(jumpFalse, 3);
    bytes.writeUInt32LE(value >>> 0, 4);
    return bytes;
}

/** Perl that joins a session keyring of its own and sets a filter; see `declareCalls`. */
function setsFilter(filter: Buffer): string {
    const [JOIN_SESSION_KEYRING, SET_SECCOMP, MODE_FILTER] = [1, 22, 2];
    return [
        `$f = pack("H*", "${filter.toString("hex")}");`,
        `$p = pack("S x![P] P", length($f) / 8, $f);`,
        `syscall($keyctl, ${JOIN_SESSION_KEYRING}, 0);`,
        `syscall($prctl, ${SET_SECCOMP}, ${MODE_FILTER}, $p) == 0 or die "seccomp: $!\n";`,
    ].join(" ");
}

/** Perl that sets the filter for namespaces. */
export function filterInNamespaces(architecture: keyof typeof NUMBERS): string {
    return setsFilter(syscallFilter(IN_NAMESPACES[architecture]));
}

/** Perl that sets the filter for Landlock. Other ways of calling the kernel are refused. */
export function filterBesideLandlock(
    unrestricted: Unrestricted,
    architecture: keyof typeof NUMBERS
): string {
    const machine: Machine =
        architecture === "x64"
            ? { id: X64, rules: rulesWithLandlock(0, unrestricted), end: X32 }
            : { id: ARM64, rules: rulesWithLandlock(1, unrestricted) };
    return setsFilter(syscallFilter([machine]));
}
