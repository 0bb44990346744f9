import { chmodSync, linkSync, mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { removeTree } from "../../private-folder.js";
import type { LeftOutput } from "../containment.js";
import { type LayerEntry, entryAt, isWhiteout, namesIn } from "../effects/layer.js";
import { copyTimes } from "./mask.js";

/** What runs of drafts left where git ignores it: a layer for each, which its next run sees. */
export class DraftOutputs {
    private readonly layers = new Map<string, string>();
    private made = 0;

    constructor(
        private readonly base: string,
        private readonly root: string,
        /** A file that hides what is below, once it is linked. */
        private readonly whiteout: () => Promise<string>
    ) {}

    /** Its name in the base folder; `undefined` without outputs. */
    layerOf(draft: string): string | undefined {
        return this.layers.get(draft);
    }

    /** Moves outputs from a run's layer, which holds nothing else any more. */
    async keep(draft: string, upper: string, outputs: readonly LeftOutput[]): Promise<void> {
        if (outputs.length === 0) return;
        const name = this.layers.get(draft) ?? `outputs-${++this.made}`;
        const layer = path.join(this.base, name);
        if (!this.layers.has(draft)) mkdirSync(layer);
        this.layers.set(draft, name);
        const sorted = [...outputs].sort((one, other) => (one.path < other.path ? -1 : 1));
        for (const { path: file, after } of sorted) {
            const target = path.join(layer, file);
            const from = path.join(upper, file);
            await this.makeFolder(layer, path.dirname(file), upper);
            if (after?.kind === "folder") {
                await this.makeFolder(layer, file, upper);
                chmodSync(target, after.mode);
                continue;
            }
            await removeTree(target);
            if (after) renameSync(from, target);
            else if (entryAt(path.join(this.root, file))) linkSync(await this.whiteout(), target);
        }
    }

    /** Removes what a draft has left. Returns whether there was anything. */
    async drop(draft: string): Promise<boolean> {
        const name = this.layers.get(draft);
        if (name === undefined) return false;
        this.layers.delete(draft);
        await removeTree(path.join(this.base, name));
        return true;
    }

    private async makeFolder(layer: string, folder: string, upper: string): Promise<void> {
        if (folder === ".") return;
        const target = path.join(layer, folder);
        const there: LayerEntry | undefined = entryAt(target);
        if (there?.kind === "folder") return;
        await this.makeFolder(layer, path.dirname(folder), upper);
        if (there) await removeTree(target);
        mkdirSync(target);
        copyTimes(path.join(upper, folder), target);
        if (there === undefined || !isWhiteout(there)) return;
        // What the whiteout hid stays hidden.
        for (const name of namesIn(path.join(this.root, folder)).text) {
            linkSync(await this.whiteout(), path.join(target, name));
        }
    }
}
