import type { StoredContents } from "../../base/stored-contents.js";
import { readdirSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.js";
import { isExpectedError } from "../../base/north-error.js";
import { foldersAbove } from "../../base/paths.js";
import { sha256 } from "../../base/sha256.js";
import type { ChangeApplier, TurnProject } from "../../core/agent/turn.js";
import { NO_OUTPUTS } from "../../core/approval/contained-runs.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import type { Conversation } from "../../core/conversation/fold.js";
import { type FileVersions, viewOf } from "../../core/history/states.js";
import type { FileVersion, View } from "../../core/draft/view.js";
import type { Mode } from "../../plugin/index.js";
import { draftedProject } from "../session/drafted-project.js";

/** The project as a replay sees it: a view, so that nothing is written to it. */
export class ReplayedProject {
    /** The project's versions of the files that the conversation changes. */
    private readonly files = new Map<string, FileVersion>();
    /** Folders that the disk has and the view does not: no record names them. */
    private readonly hidden = new Set<string>();
    private shown: View | undefined;
    private lastJoined: { base: View; draft: View; view: View } | undefined;

    constructor(
        readonly root: string,
        private readonly contents: StoredContents,
        start: FileVersions
    ) {
        this.set(start);
    }

    set(files: FileVersions): void {
        this.note(files);
        this.hideEmptyFolders([...files].flatMap(([file, { hash }]) => hash ?? file));
    }

    /** Like `set`, of files that the replay has just written. */
    note(files: FileVersions): void {
        for (const [file, version] of files) {
            const mode = version.mode ?? this.files.get(file)?.mode;
            this.files.set(file, { ...version, ...(mode !== undefined && { mode }) });
            if (version.hash !== null) this.unhideAbove(file);
        }
        this.shown = undefined;
    }

    /** Contents that no change starts from or leads to are not stored; such a file stays. */
    async bring(file: string, version: FileVersion): Promise<void> {
        try {
            if (version.hash !== null && version.type !== "folder") {
                await this.contents.get(version.hash);
            }
            this.set(new Map([[file, version]]));
        } catch (error) {
            if (!isExpectedError(error)) throw error;
        }
    }

    /** The project of a turn, in draft mode with the draft over it. */
    inMode(
        mode: Mode,
        project: TurnProject,
        conversation: Pick<Conversation, "draft">,
        rebase: NonNullable<TurnProject["draft"]>["rebase"]
    ): TurnProject {
        const view = () => this.viewWith(mode === "draft" ? conversation.draft.view : undefined);
        const drafting = {
            // Not the conversation's own, whose commands may have left something.
            id: "replay",
            get draft() {
                return { view: view(), entries: [] };
            },
        };
        const { draft, ...seen } = draftedProject(project, drafting);
        const { applier } = seen;
        const applies: ChangeApplier["apply"] = (changeSet, announce) => {
            for (const { path, realPath = path, after } of changeSet.changes) {
                if (after !== null) this.unhideAbove(realPath);
            }
            return applier.apply(changeSet, announce);
        };
        return {
            ...seen,
            applier: { resolve: applier.resolve, apply: applies },
            ...(mode === "draft" && {
                draft: { ...draft, rebase, outputs: async () => NO_OUTPUTS },
            }),
        };
    }

    private viewWith(draft: View | undefined): View {
        this.shown ??= viewOf(this.files);
        return draft?.size ? this.joined(this.shown, draft) : this.shown;
    }

    /** The same value for the same parts: what shows a view compares it by identity. */
    private joined(base: View, draft: View): View {
        const last = this.lastJoined;
        if (last?.base === base && last.draft === draft) return last.view;
        const view = new Map([...base, ...draft]);
        this.lastJoined = { base, draft, view };
        return view;
    }

    private unhideAbove(file: string): void {
        for (const folder of foldersAbove(file)) {
            if (this.hidden.delete(folder)) this.files.delete(folder);
        }
        this.shown = undefined;
    }

    /** What creating a file made is gone with it. */
    private hideEmptyFolders(deleted: readonly string[]): void {
        const folders = [...new Set(deleted.flatMap(foldersAbove))];
        const isGone = (file: string) => this.files.get(file)?.hash === null;
        // The deepest first.
        for (const folder of folders.sort((one, other) => other.length - one.length)) {
            const names = attempt(() => readdirSync(path.join(this.root, folder)), []);
            if (!names.every((name) => isGone(`${folder}/${name}`))) continue;
            this.hidden.add(folder);
            this.files.set(folder, { type: "folder", hash: null });
        }
    }
}

/** Keeps what a replay writes in memory. */
export function contentsOver(recorded: ContentStore): ContentStore {
    const made = new Map<string, Uint8Array>();
    const put = async (bytes: Uint8Array) => {
        const hash = sha256(bytes);
        made.set(hash, bytes);
        return hash;
    };
    return {
        put,
        putAll: async (all) => void (await Promise.all(all.map(put))),
        get: async (hash) => made.get(hash) ?? recorded.get(hash),
    };
}
