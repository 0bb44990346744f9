import fileSystem from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** How often a function of `node:fs/promises` is called by some work. */
export async function callsOf(
    name: "realpath" | "lstat" | "open",
    work: () => Promise<unknown>
): Promise<number> {
    const original = fileSystem[name];
    let calls = 0;
    const counted = (...parameters: unknown[]) => {
        calls += 1;
        return Reflect.apply(original, fileSystem, parameters);
    };
    Object.assign(fileSystem, { [name]: counted });
    syncBuiltinESMExports();
    try {
        await work();
    } finally {
        Object.assign(fileSystem, { [name]: original });
        syncBuiltinESMExports();
    }
    return calls;
}

/** How often files and folders are made to reach the disk by some work. */
export async function syncsOf(work: () => Promise<unknown>): Promise<number> {
    return handleCallsOf("sync", work);
}

/** How often a function of open files is called by some work. */
export async function handleCallsOf(
    name: "read" | "sync",
    work: () => Promise<unknown>
): Promise<number> {
    const handle = await fileSystem.open("/dev/null", "r");
    const prototype: Record<typeof name, (...parameters: unknown[]) => unknown> =
        Object.getPrototypeOf(handle);
    await handle.close();
    const original = prototype[name];
    let calls = 0;
    prototype[name] = function (this: unknown, ...parameters: unknown[]) {
        calls += 1;
        return Reflect.apply(original, this, parameters);
    };
    try {
        await work();
    } finally {
        prototype[name] = original;
    }
    return calls;
}
