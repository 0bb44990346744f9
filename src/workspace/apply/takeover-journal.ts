import { copyFile, mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { isFields } from "../../base/fields.js";
import type { RepositoryPlan } from "../../base/repository-plan.js";
import { beginApply, endApply, isAbandoned } from "./apply-owner.js";

interface Journaled {
    readonly root: string;
    readonly plan: RepositoryPlan;
}

const PLAN = "plan.json";

/** Writes down, durably, what is about to be done, with the index that it takes. */
export async function journalTakeover(folder: string, { root, plan }: Journaled) {
    const id = await beginApply();
    const own = path.join(folder, id);
    await mkdir(own, { recursive: true, mode: 0o700 });
    const { pack: _stored, index, ...rest } = plan;
    const file = path.join(own, "index");
    if (index) await copyFile(index.file, file);
    const kept: RepositoryPlan = { ...rest, ...(index && { index: { ...index, file } }) };
    const handle = await open(path.join(own, PLAN), "wx", 0o600);
    try {
        await handle.writeFile(JSON.stringify({ root, plan: kept }));
        await handle.sync();
    } finally {
        await handle.close();
    }
    return {
        plan: kept,
        async close() {
            await rm(own, { recursive: true, force: true });
            endApply(id);
        },
    };
}

/** Completes what killed processes began; returns how many repositories that concerned. */
export async function recoverTakeovers(
    folder: string,
    complete: (root: string, plan: RepositoryPlan) => Promise<void>
): Promise<number> {
    let completed = 0;
    for (const id of await readdir(folder).catch(() => [])) {
        const own = path.join(folder, id);
        const stats = await stat(own).catch(() => undefined);
        if (!stats || !(await isAbandoned(id, Date.now() - stats.mtimeMs))) continue;
        const journaled = parsed(await readFile(path.join(own, PLAN), "utf8").catch(() => ""));
        // A torn plan was never acted on.
        if (journaled) {
            await complete(journaled.root, journaled.plan).catch(() => {});
            completed += 1;
        }
        await rm(own, { recursive: true, force: true });
    }
    return completed;
}

function parsed(text: string): Journaled | undefined {
    try {
        const value: unknown = JSON.parse(text);
        return isJournaled(value) ? value : undefined;
    } catch {
        return undefined;
    }
}

function isJournaled(value: unknown): value is Journaled {
    if (!isFields(value) || typeof value.root !== "string" || !isFields(value.plan)) return false;
    return Array.isArray(value.plan.moves) && Array.isArray(value.plan.files);
}
