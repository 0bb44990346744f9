import fileSystem from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** Counts calls of a `node:fs/promises` function during `work`. */
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

/** Counts fsync calls on files and folders during `work`. */
export async function syncsOf(work: () => Promise<unknown>): Promise<number> {
    return handleCallsOf("sync", work);
}

/** Counts calls of a file handle's method during `work`. */
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
