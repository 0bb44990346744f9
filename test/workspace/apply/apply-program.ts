import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { bundledProgram } from "../../helpers/bundled-program.js";

/** The child of the kill tests. */
export const bundleChild = (): string =>
    bundledProgram(new URL("./apply-child.ts", import.meta.url));

export function start(program: string, ...values: string[]): ChildProcess {
    return spawn(process.execPath, [program, ...values], { stdio: ["ignore", "pipe", "inherit"] });
}

/** The first step that `holds`; once it does, it holds for all later ones. */
export async function firstStep(holds: (step: number) => Promise<boolean>): Promise<number> {
    let [before, step] = [0, 1];
    while (!(await holds(step))) [before, step] = [step, step * 2];
    while (step - before > 1) {
        const middle = (before + step) >> 1;
        if (await holds(middle)) step = middle;
        else before = middle;
    }
    return step;
}

/**
 * Kills at this step or one close to it, until the child dies where `isThere`: what it does in
 * parallel does not always come in the same order.
 */
export async function killNear(
    step: number,
    killAt: (step: number) => Promise<number | string>,
    isThere: () => boolean
): Promise<void> {
    const near = [0, 1, -1, 2, -2].map((offset) => Math.max(1, step + offset));
    for (const each of Array.from({ length: 6 }, () => near).flat()) {
        if ((await killAt(each)) === "SIGKILL" && isThere()) return;
    }
    throw new Error(`No kill near step ${step} came at the right moment.`);
}

/** How a child ended: its code, or the signal that ended it. */
export async function ended(child: ChildProcess): Promise<number | string> {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    return signal ?? code ?? -1;
}
