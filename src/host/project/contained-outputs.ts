import { readFileSync, readlinkSync } from "node:fs";
import { groupBy } from "../../base/group-by.js";
import { attempt } from "../../base/attempt.js";
import { firstOf } from "../../base/format.js";
import path from "node:path";
import { sha256 } from "../../base/sha256.js";
import type { ContainedOutputs } from "../../core/approval/contained-runs.js";
import type { FileChange, Output } from "../../plugin/index.js";
import type { ContainedRun, LeftOutput } from "../../shell/containment/containment.js";
import { moveOutputs } from "../../workspace/apply/move-outputs.js";
import type { keepFiles } from "../effects/rescue.js";

const MAX_NAMED = 5;
/** What is looked at before a yes: the first files, and bytes of them. */
const [MAX_LOOKED_AT, MAX_BYTES] = [500, 5 * 1024 * 1024];
const MAX_REMEMBERED = 200_000;

/** Saves files that are about to be lost; see `keepFiles`. */
export type RescueFiles = (
    files: Parameters<typeof keepFiles>[0],
    command: string
) => ReturnType<typeof keepFiles>;

/** Keeps what contained commands leave where git ignores it. */
export class OutputKeeper {
    /** Versions that commands of this session left: those need no rescue. */
    private readonly made = new Map<string, string>();

    constructor(
        private readonly root: string,
        private readonly rescue: RescueFiles | undefined
    ) {}

    of({ outputs, layer }: Pick<ContainedRun, "outputs" | "layer">, command: string) {
        const withFiles = new Set(outputs.filter(isFile).map(({ group }) => group));
        const byWay: Record<LeftOutput["way"], LeftOutput[]> = { ask: [], keep: [], discard: [] };
        for (const output of outputs) {
            // Nothing can run an empty folder.
            const isEmpty = output.way === "ask" && !withFiles.has(output.group);
            byWay[isEmpty ? "keep" : output.way].push(output);
        }
        const asked = byWay.ask.filter(isFile);
        const moved = () => outputs.filter(({ way }) => way !== "discard");
        const held: ContainedOutputs = {
            asked: groupsOf(byWay.ask),
            kept: groupsOf(byWay.keep),
            discarded: groupsOf(byWay.discard),
            paths: asked.map(({ path: location }) => location),
            look: () => (layer ? this.look(layer.folder, asked) : { changes: [], more: 0 }),
            keep: async () => (layer ? this.keep(layer, moved(), command) : []),
            release: async () => layer?.release(),
        };
        return held;
    }

    private look(layer: string, outputs: readonly LeftOutput[]) {
        let bytes = 0;
        const changes: FileChange[] = [];
        for (const output of outputs.slice(0, MAX_LOOKED_AT)) {
            bytes += (output.before?.size ?? 0) + (output.after?.size ?? 0);
            if (bytes > MAX_BYTES) break;
            changes.push(changeOf(output, this.root, layer));
        }
        return { changes, more: outputs.length - changes.length };
    }

    private async keep(
        layer: NonNullable<ContainedRun["layer"]>,
        outputs: readonly LeftOutput[],
        command: string
    ): Promise<readonly string[]> {
        layer.prune?.();
        const lost = outputs.flatMap(({ path: location, way, before }) => {
            if (way === "keep" || !before || before.kind === "folder") return [];
            if (this.made.get(location) === before.version) return [];
            const { kind, size, mode } = before;
            return { path: path.join(this.root, location), type: kind, size, mode };
        });
        const settle = lost.length > 0 ? await this.rescue?.(lost, command) : undefined;
        const left = await moveOutputs(this.root, layer.folder, outputs);
        const rescued = await settle?.();
        if (this.made.size > MAX_REMEMBERED) this.made.clear();
        for (const { path: location, after } of outputs) {
            if (after && after.kind !== "folder") this.made.set(location, after.version);
        }
        const notReplaced = `Not replaced, changed meanwhile: ${firstOf(left, 1, " and ")}.`;
        return [...(rescued === undefined ? [] : [rescued]), ...(left.length ? [notReplaced] : [])];
    }
}

function isFile({ before, after }: LeftOutput): boolean {
    return (after ?? before)?.kind !== "folder";
}

function groupsOf(outputs: readonly LeftOutput[]): readonly Output[] {
    return [...groupBy(outputs, ({ group }) => group)].flatMap(([path, all]) => {
        const files = all.filter(isFile);
        const isNewFolder = all.some(({ before, after }) => !before && after?.kind === "folder");
        if (files.length === 0 && !isNewFolder) return [];
        const start = path.endsWith("/") ? path.length : path.lastIndexOf("/") + 1;
        return {
            path,
            files: files.length,
            deleted: files.filter(({ after }) => !after).length,
            names: files.slice(0, MAX_NAMED).map(({ path: name }) => name.slice(start)),
        };
    });
}

function changeOf(
    { path: location, before, after }: LeftOutput,
    root: string,
    layer: string
): FileChange {
    const read = (folder: string, version: LeftOutput["after"]) => {
        if (!version || version.kind === "folder") return null;
        const name = path.join(folder, location);
        return version.kind === "link" ? readlinkSync(name, "buffer") : readFileSync(name);
    };
    // What is in the project may have changed meanwhile.
    const old = attempt(() => read(root, before), null);
    const isLink = (after ?? before)?.kind === "link";
    return {
        ...{ path: location, before: old, beforeHash: old && sha256(old) },
        after: read(layer, after),
        ...(isLink && { type: "link" as const }),
        ...(after && after.mode !== before?.mode && { mode: after.mode }),
        isIgnored: true,
    };
}
