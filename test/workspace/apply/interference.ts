import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { expect } from "chai";

/** Calls that change something. */
const CHANGES = "chmod copyFile link mkdir rename rm rmdir symlink unlink utimes".split(" ");

interface Interference {
    /** The number of the call before which it happens. */
    readonly at: number;
    act(): void;
    /** Whether a rename fails as one between file systems does. */
    isBetweenSystems?(from: string, to: string): boolean;
}

/**
 * Runs work, and something else right before one of its system calls that change something.
 * Resolves with how many of those there were.
 */
export async function interfere(
    work: () => Promise<unknown>,
    { at, act, isBetweenSystems }: Interference
): Promise<number> {
    let calls = 0;
    let isActing = false;
    const wrapped = (holder: object, names: readonly string[]) => {
        const originals = names.map((name) => [name, Reflect.get(holder, name)]);
        const wrap = (name: string, original: (...given: unknown[]) => unknown) =>
            function (...given: unknown[]) {
                if (isActing) return original(...given);
                if (calls++ === at) {
                    isActing = true;
                    act();
                    isActing = false;
                }
                const [from, to] = given.map(String);
                if (name.startsWith("rename") && isBetweenSystems?.(from!, to!)) {
                    throw Object.assign(new Error("EXDEV"), { code: "EXDEV" });
                }
                return original(...given);
            };
        const wraps = originals.map(([name, original]) => [name, wrap(name, original)]);
        Object.assign(holder, Object.fromEntries(wraps));
        return () => Object.assign(holder, Object.fromEntries(originals));
    };
    const restore = [
        wrapped(
            fs,
            CHANGES.map((name) => `${name}Sync`)
        ),
        wrapped(promises, CHANGES),
    ];
    syncBuiltinESMExports();
    try {
        await work();
    } finally {
        for (const each of restore) each();
        syncBuiltinESMExports();
    }
    expect(isActing).to.equal(false);
    return calls;
}
