import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { bundledProgram } from "../../helpers/bundled-program.js";

/** The child of the kill tests. */
export const bundleChild = (): string =>
    bundledProgram(new URL("./apply-child.ts", import.meta.url));

export function start(program: string, ...values: string[]): ChildProcess {
    return spawn(process.execPath, [program, ...values], { stdio: ["ignore", "pipe", "inherit"] });
}

/** How a child ended: its code, or the signal that ended it. */
export async function ended(child: ChildProcess): Promise<number | string> {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    return signal ?? code ?? -1;
}
