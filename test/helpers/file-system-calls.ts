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
    const handle = await fileSystem.open("/dev/null", "r");
    const prototype = Object.getPrototypeOf(handle) as { sync(): Promise<void> };
    await handle.close();
    const original = prototype.sync;
    let calls = 0;
    prototype.sync = function (this: unknown) {
        calls += 1;
        return Reflect.apply(original, this, []);
    };
    try {
        await work();
    } finally {
        prototype.sync = original;
    }
    return calls;
}
