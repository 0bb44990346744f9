import { execFile } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { foldersAbove, isInside } from "../../../base/paths.js";
import { errorCode } from "../../../base/system-error.js";
import { isSecretFile } from "../../../base/secrets/secret-files.js";
import type { ChangedFile } from "../../../plugin/records.js";
import { removeTree } from "../../private-folder.js";
import { type OutputRules, SYSTEM_PATH, type ShownChanges } from "../containment.js";
import { entryAt } from "../effects/layer.js";
import { LowerLayers } from "../effects/lower-layers.js";
import { DraftOutputs } from "./draft-outputs.js";
import { copyTimes, type Masked } from "./mask.js";
import { failed } from "./supervision.js";

/** Max chained links, as on Linux. */
const MAX_LINKS = 40;

/** The layers over the project in a run. */
export interface ProjectChanges {
    /** Relative to the base folder, topmost first. */
    readonly layers: readonly string[];
    readonly lower: LowerLayers;
    /** What is masked of what is shown, if `masked` is masked of the project. */
    hidden(masked: Masked): Masked;
    /** Where a file is that is shown: absolute. */
    at(file: string): string;
    release(): Promise<void>;
}

/** The changes of one view as a layer of an overlay. It never changes, as it may be mounted. */
interface ViewLayer {
    readonly files: ShownChanges["files"];
    readonly name: string;
    users: number;
}

/** Makes layers of views, the next one from the one before: most files stay the same. */
export class ChangedLayers {
    readonly outputs: DraftOutputs;
    private latest: ViewLayer | undefined;
    private whiteout: Promise<string> | undefined;
    private made = 0;

    constructor(
        private readonly base: string,
        private readonly root: string
    ) {
        this.outputs = new DraftOutputs(base, root, (location) => this.hide(location));
    }

    /** `undefined` if there are no layers over the project. Rejects with `object-missing`. */
    async open(
        view: ShownChanges | undefined,
        draft: string | undefined
    ): Promise<ProjectChanges | undefined> {
        const layer = view && view.files.size > 0 ? await this.layerOf(view) : undefined;
        const outputs = draft === undefined ? undefined : await this.outputs.open(draft);
        const layers = [layer?.name ?? [], outputs?.name ?? []].flat();
        if (layers.length === 0) return undefined;
        const folders = layers.map((name) => path.join(this.base, name));
        const lower = new LowerLayers(this.root, folders);
        const leave = (left: ViewLayer) => this.leave(left);
        return {
            ...{ layers, lower },
            hidden: (masked) => this.hidden(masked, view?.files ?? new Map(), lower),
            at: (file) => lower.entryAt(file)?.path ?? path.join(this.root, file),
            async release() {
                if (layer) await leave(layer);
                await outputs?.release();
            },
        };
    }

    private async layerOf(view: ShownChanges): Promise<ViewLayer> {
        const { latest } = this;
        if (latest) latest.users += 1;
        if (latest?.files === view.files) return latest;
        try {
            const name = `changed-${++this.made}`;
            await this.fill(view, name, latest);
            const layer = { files: view.files, name, users: 1 };
            this.latest = layer;
            return layer;
        } finally {
            if (latest) await this.leave(latest);
        }
    }

    private async leave(layer: ViewLayer): Promise<void> {
        layer.users -= 1;
        if (layer.users === 0 && layer !== this.latest) await removeTree(this.at(layer.name));
    }

    private async fill(
        { files, contents }: ShownChanges,
        name: string,
        earlier: ViewLayer | undefined
    ): Promise<void> {
        const filler = new LayerFiller(this.at(name), this.root);
        const isAlive = foldersHolding(files);
        const sorted = [...files.keys()].sort();
        for (const each of sorted) {
            const file = files.get(each);
            if (file === undefined || !filler.makeParents(each)) continue;
            const location = this.at(name, each);
            const { type, afterHash, modeAfter } = file;
            if (afterHash === null) {
                if (!isAlive.has(each)) await this.hide(location);
            } else if (type === "folder") {
                filler.makeFolder(each, modeAfter);
            } else if (earlier && isSame(earlier.files.get(each), file)) {
                linkSync(this.at(earlier.name, each), location);
            } else if (type === "link") {
                symlinkSync(Buffer.from(await contents.get(afterHash)), location);
            } else {
                writeFileSync(location, await contents.get(afterHash));
                const covered = entryAt(path.join(this.root, each));
                const mode =
                    modeAfter ?? (covered?.kind === "file" ? covered.stats.mode : undefined);
                if (mode !== undefined) chmodSync(location, mode & 0o7777);
            }
        }
        filler.finish();
    }

    private hidden(
        { secrets, gitSettings }: Masked,
        files: ShownChanges["files"],
        lower: LowerLayers
    ): Masked {
        const isShown = (file: string) => {
            if (!isTouched(file, files)) return true;
            const entry = lower.entryAt(file);
            return entry !== undefined && isInside(this.root, entry.path);
        };
        const isSecret = ([file]: readonly [string, unknown]) => {
            const kind = lower.entryAt(file)?.kind;
            const isRead = kind === "file" || kind === "link";
            return isRead && isSecretFile(file, this.targetOf(file, lower));
        };
        const changed = [...files].filter(isSecret).map(([file]) => file);
        return {
            secrets: [...secrets.filter(isShown), ...changed].sort(),
            gitSettings: gitSettings.filter(isShown),
        };
    }

    /** Where the content of a file is, also of one that is a link in the view. */
    private targetOf(file: string, lower: LowerLayers, linksLeft = MAX_LINKS): string {
        const location = path.join(this.root, file);
        const entry = lower.entryAt(file);
        if (entry?.kind !== "link" || linksLeft === 0) return entry?.path ?? location;
        const target = path.resolve(path.dirname(location), readlinkSync(entry.path));
        return isInside(this.root, target)
            ? this.targetOf(path.relative(this.root, target), lower, linksLeft - 1)
            : target;
    }

    /** Marks a deletion by a link to a whiteout, and to the next one once a file has no more links. */
    private async hide(location: string): Promise<void> {
        const whiteout = (this.whiteout ??= this.makeWhiteout());
        try {
            linkSync(await whiteout, location);
        } catch (error) {
            if (errorCode(error) !== "EMLINK") throw error;
            if (this.whiteout === whiteout) this.whiteout = undefined;
            await this.hide(location);
        }
    }

    /** A 0/0 character device, which anybody may make since Linux 5.8. */
    private async makeWhiteout(): Promise<string> {
        const location = this.at(`whiteout-${++this.made}`);
        const env = { PATH: SYSTEM_PATH };
        const made = promisify(execFile)("mknod", [location, "c", "0", "0"], { env });
        await made.catch(() => {
            throw failed("deletions of a draft cannot be shown here");
        });
        return location;
    }

    private at(...names: readonly string[]): string {
        return path.join(this.base, ...names);
    }
}

/** What the draft has changed is a change again: its layer is above the outputs and would hide them. */
export function rulesInDraft(
    rules: OutputRules | undefined,
    view: ShownChanges | undefined
): OutputRules | undefined {
    if (!rules || !view) return rules;
    return {
        async reviewed(links) {
            const isReviewed = await rules.reviewed(links);
            return (file) => view.files.has(file) || isReviewed(file);
        },
    };
}

/** Makes the folders of a layer, each once and never through a link. */
class LayerFiller {
    private readonly folders = new Map<string, number | undefined>();

    constructor(
        private readonly layer: string,
        private readonly root: string
    ) {
        mkdirSync(layer);
        this.folders.set(".", undefined);
    }

    /** Whether a path can be made: nothing but folders is above it. */
    makeParents(file: string): boolean {
        const parent = path.dirname(file);
        return this.folders.has(parent) || (this.makeParents(parent) && this.makeFolder(parent));
    }

    makeFolder(folder: string, mode?: number): boolean {
        if (!this.folders.has(folder)) {
            try {
                mkdirSync(path.join(this.layer, folder));
            } catch {
                // The view has something else there.
                return false;
            }
        }
        this.folders.set(folder, mode);
        return true;
    }

    /** In a merged folder the modes and times of the upper layer count. */
    finish(): void {
        for (const [folder, mode] of [...this.folders].reverse()) {
            const location = path.join(this.layer, folder);
            const covered = entryAt(path.join(this.root, folder));
            if (covered?.kind === "folder") copyTimes(covered.path, location);
            if (mode !== undefined) chmodSync(location, mode);
        }
    }
}

/** The folders that exist because something is in them. */
function foldersHolding(files: ShownChanges["files"]): ReadonlySet<string> {
    const kept = [...files].filter(([, { afterHash }]) => afterHash !== null);
    return new Set(kept.flatMap(([file]) => foldersAbove(file)));
}

function isTouched(file: string, files: ShownChanges["files"]): boolean {
    return [file, ...foldersAbove(file)].some((each) => files.has(each));
}

function isSame(one: ChangedFile | undefined, other: ChangedFile): boolean {
    return (
        one?.afterHash === other.afterHash &&
        one.modeAfter === other.modeAfter &&
        one.type === other.type
    );
}
