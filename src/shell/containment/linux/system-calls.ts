/** Numbers of the calls that Perl makes; it knows none by name. */
export const NUMBERS = {
    x64: {
        ...{ prctl: 157, keyctl: 250, openat: 257, close: 3, setsid: 112, prlimit64: 302 },
        ...{ mount: 165, umount2: 166, pivot_root: 155, unshare: 272, mount_setattr: 442 },
    },
    arm64: {
        ...{ prctl: 167, keyctl: 219, openat: 56, close: 57, setsid: 157, prlimit64: 261 },
        ...{ mount: 40, umount2: 39, pivot_root: 41, unshare: 97, mount_setattr: 442 },
    },
} as const satisfies Partial<Record<NodeJS.Architecture, Readonly<Record<string, number>>>>;

/** A machine whose calls North knows. */
export function isKnown(architecture: NodeJS.Architecture): architecture is keyof typeof NUMBERS {
    return architecture in NUMBERS;
}

/** Perl that sets a variable for each of them, such as `$prctl`. */
export function declareCalls(architecture: keyof typeof NUMBERS): string {
    const calls = Object.entries(NUMBERS[architecture]);
    const names = calls.map(([name]) => `$${name}`).join(", ");
    return `(${names}) = (${calls.map(([, number]) => number).join(", ")});`;
}
