import { linkSync, mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { oneAtATime } from "../../../base/waiting.js";
import { removeTree } from "../../private-folder.js";
import type { HeldOutputs, LeftOutput } from "../containment.js";
import { type LayerEntry, entryAt, isWhiteout, namesIn } from "../effects/layer.js";
import { isCovered } from "../effects/lower-layers.js";
import { pruneLayer } from "../effects/read-outputs.js";
import { WritableFolders } from "../effects/writable-folders.js";
import { copyTimes } from "./mask.js";

/** A layer that may be below runs; while it is, it never changes. */
interface OutputLayer {
    readonly name: string;
    users: number;
}

/** What a draft's runs left, as changes of the project. */
interface Left {
    layer: OutputLayer;
    readonly outputs: Map<string, LeftOutput>;
    /** The last command that left something. */
    command: string;
}

/** What runs of drafts left where git ignores it: a layer for each, which its next run sees. */
export class DraftOutputs {
    private readonly drafts = new Map<string, Left>();
    private made = 0;
    /** Runs of a draft may end at the same time. */
    private readonly inTurn = oneAtATime();

    constructor(
        private readonly base: string,
        private readonly root: string,
        /** Makes a whiteout there. */
        private readonly hide: (location: string) => Promise<void>
    ) {}

    /** The layer to put below a run until it is released; `undefined` without outputs. */
    open(draft: string) {
        return this.inTurn(async () => {
            const layer = this.drafts.get(draft)?.layer;
            if (!layer) return undefined;
            layer.users += 1;
            return { name: layer.name, release: () => this.inTurn(() => this.release(layer)) };
        });
    }

    /** Moves outputs from a run's layer, which holds nothing else any more. */
    keep(
        draft: string,
        upper: string,
        { outputs, command }: { readonly outputs: readonly LeftOutput[]; readonly command: string }
    ): Promise<void> {
        return this.inTurn(async () => {
            if (outputs.length === 0) return;
            const left = await this.writable(draft);
            left.command = command;
            const layer = path.join(this.base, left.layer.name);
            const move = new Move(upper, layer, this.root, this.hide);
            for (const output of [...outputs].sort(byPath)) {
                await move.add(output);
                note(left.outputs, output);
            }
            move.finish();
        });
    }

    /** All that a draft's runs left, until it is released; `undefined` if there is nothing. */
    async of(draft: string): Promise<HeldOutputs | undefined> {
        const left = await this.inTurn(async () => this.drafts.get(draft));
        if (!left) return undefined;
        const { layer, command } = left;
        const outputs = [...left.outputs.values()].sort(byPath);
        const folder = path.join(this.base, layer.name);
        const release = () => this.inTurn(() => this.drop(draft));
        const isUnwanted = ({ path: file, way, after }: LeftOutput) =>
            (way === "discard" || !after) && !isCovered(folder, file);
        const prune = () => pruneLayer(folder, outputs.filter(isUnwanted));
        return { outputs, command, layer: { folder, prune, release } };
    }

    private async drop(draft: string): Promise<void> {
        const left = this.drafts.get(draft);
        this.drafts.delete(draft);
        if (left?.layer.users === 0) await this.remove(left.layer);
    }

    private async release(layer: OutputLayer): Promise<void> {
        layer.users -= 1;
        const isCurrent = [...this.drafts.values()].some((left) => left.layer === layer);
        if (layer.users === 0 && !isCurrent) await this.remove(layer);
    }

    private remove({ name }: OutputLayer): Promise<void> {
        return removeTree(path.join(this.base, name));
    }

    /** A run may still have the layer mounted: then a copy of it, which shares its files. */
    private async writable(draft: string): Promise<Left> {
        const left = this.drafts.get(draft);
        if (left?.layer.users === 0) return left;
        const layer = { name: `outputs-${++this.made}`, users: 0 };
        const folder = path.join(this.base, layer.name);
        if (left) await this.linkTree(path.join(this.base, left.layer.name), folder);
        else mkdirSync(folder);
        const fresh = left ?? { layer, outputs: new Map(), command: "" };
        fresh.layer = layer;
        this.drafts.set(draft, fresh);
        return fresh;
    }

    private async linkTree(from: string, to: string): Promise<void> {
        mkdirSync(to);
        for (const name of namesIn(from).text) {
            const [source, target] = [path.join(from, name), path.join(to, name)];
            const entry = entryAt(source);
            if (entry?.kind === "folder") await this.linkTree(source, target);
            else if (entry && isWhiteout(entry)) await this.hide(target);
            else linkSync(source, target);
        }
        copyTimes(from, to);
    }
}

/** Moves outputs from a run's layer to their draft's, outer folders first. */
class Move {
    private readonly folders = new WritableFolders();

    constructor(
        private readonly upper: string,
        private readonly layer: string,
        private readonly root: string,
        private readonly hide: (location: string) => Promise<void>
    ) {}

    async add({ path: file, after }: LeftOutput): Promise<void> {
        const [source, target] = [path.join(this.upper, file), path.join(this.layer, file)];
        // With its folder.
        if (!after && isCovered(this.layer, file)) return;
        await this.makeFolder(path.dirname(file));
        if (after?.kind === "folder") {
            await this.makeFolder(file);
            return this.folders.setLater(target, after.mode);
        }
        this.folders.open(path.dirname(target));
        await removeTree(target);
        if (after) {
            this.folders.open(path.dirname(source));
            renameSync(source, target);
        } else if (entryAt(path.join(this.root, file))) {
            await this.hide(target);
        }
    }

    finish(): void {
        this.folders.close();
    }

    private async makeFolder(folder: string): Promise<void> {
        if (folder === ".") return;
        const target = path.join(this.layer, folder);
        const there: LayerEntry | undefined = entryAt(target);
        if (there?.kind === "folder") return;
        await this.makeFolder(path.dirname(folder));
        this.folders.open(path.dirname(target));
        if (there) await removeTree(target);
        mkdirSync(target);
        copyTimes(path.join(this.upper, folder), target);
        if (there === undefined || !isWhiteout(there)) return;
        // What the whiteout hid stays hidden.
        this.folders.open(target);
        for (const name of namesIn(path.join(this.root, folder)).text) {
            await this.hide(path.join(target, name));
        }
    }
}

/** Joins what a run left to what earlier ones did: `before` is always what the project has. */
function note(outputs: Map<string, LeftOutput>, output: LeftOutput): void {
    const { before: _, ...rest } = output;
    const known = outputs.get(output.path);
    const before = known ? known.before : output.before;
    if (before || output.after) outputs.set(output.path, { ...rest, ...(before && { before }) });
    else outputs.delete(output.path);
}

function byPath(one: LeftOutput, other: LeftOutput): number {
    return one.path < other.path ? -1 : 1;
}
