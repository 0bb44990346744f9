import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The child of the kill tests as one plain file: it starts in a fraction of what tsx needs. */
export async function bundleChild(folder: string): Promise<string> {
    const outfile = path.join(folder, "apply-child.cjs");
    await build({
        entryPoints: [fileURLToPath(new URL("apply-child.ts", import.meta.url))],
        bundle: true,
        platform: "node",
        format: "cjs",
        outfile,
        logLevel: "error",
    });
    return outfile;
}

export function start(program: string, ...values: string[]): ChildProcess {
    return spawn(process.execPath, [program, ...values], { stdio: ["ignore", "pipe", "inherit"] });
}

/** How a child ended: its code, or the signal that ended it. */
export async function ended(child: ChildProcess): Promise<number | string> {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    return signal ?? code ?? -1;
}
