import { counted } from "../../../base/format.js";
import type { BranchTip, ReferenceMove, RepositoryPlan } from "../../../base/repository-plan.js";
import type { GitChange } from "../../../plugin/git-changes.js";
import {
    changesOf,
    comparedCommits,
    comparedFiles,
    emptyTree,
    isSeen,
    type ComparedFile,
    type ProjectContents,
} from "./committed-files.js";
import type { RepositoryChange } from "../containment.js";
import { History, quoted, resolved, shortened } from "./history.js";
import { decoded, type LayeredGit } from "./layered-git.js";
import { isId, logLines, pointed } from "./references.js";
import { stagedLine, type StagedChange } from "./staged.js";
import { idsIn } from "./state-files.js";
import type { VerifiedObjects } from "./verified-objects.js";

interface ReadRepository {
    readonly git: LayeredGit;
    readonly plan: RepositoryPlan;
    readonly staged: StagedChange | undefined;
    readonly objects: VerifiedObjects;
    readonly known: ReadonlyMap<string, string>;
}

interface Line extends GitChange {
    /** Only new commits on the checked-out branch, by the user, or staging. */
    readonly isPlain?: boolean;
    /** The only new commit of the checked-out branch. */
    readonly tip?: BranchTip;
    /** Pairs of trees whose differences it brings in. */
    readonly trees?: readonly (readonly [before: string, after: string])[];
}

/** More are counted. */
const MAX_LINES = 20;

/** Says what a command did in git's folder, or what is too much to say. */
export async function describeRepository(
    read: ReadRepository,
    contents: ProjectContents
): Promise<Omit<RepositoryChange, "plan"> | string> {
    return new Description(read, contents).make();
}

class Description {
    private readonly history: History;
    private readonly branch: string | undefined;
    private readonly branchAfter: string | undefined;
    private readonly commit: string | undefined;
    private readonly commitAfter: string | undefined;
    /** Tags that show their target and no contents, like the remote-tracking branches they are on. */
    private fetchedTags: ReadonlySet<string> = new Set();

    constructor(
        private readonly read: ReadRepository,
        private readonly contents: ProjectContents
    ) {
        const { git, plan, known, objects } = read;
        this.history = new History(objects.reader, [...new Set(known.values())]);
        const text = git
            .before(git.own("HEAD"))
            ?.trim()
            .replace(/^ref: /, "");
        this.branch = plan.head?.before ?? text;
        this.branchAfter = plan.head?.after ?? this.branch;
        const after = new Map(known);
        for (const { name, after: id } of plan.moves) {
            if (id === undefined) after.delete(name);
            else after.set(name, id);
        }
        this.commit = resolved(this.branch, known);
        this.commitAfter = resolved(this.branchAfter, after);
    }

    async make(): Promise<Omit<RepositoryChange, "plan"> | string> {
        const { plan } = this.read;
        this.fetchedTags = await this.history.reachedFrom(
            this.movedTo("remotes"),
            this.movedTo("tags")
        );
        const lines: Line[] = [];
        for (const move of plan.moves.slice(0, MAX_LINES)) lines.push(await this.moved(move));
        const more = plan.moves.length - MAX_LINES;
        if (more > 0) lines.push({ what: `Move ${counted(more, "more reference")}` });
        for (const each of plan.remoteHeads ?? []) lines.push({ what: pointed(each) });
        lines.push(...(await this.head()), ...(await this.stash()), ...(await this.waiting(lines)));
        const staged = await this.stagedFiles();
        const isAlone = lines.length === 0;
        if (staged.length > 0) {
            lines.push(stagedLine("Stage", staged));
        } else if (isAlone) {
            lines.push(stagedLine("Unstage", [...(this.read.staged?.paths ?? [])]));
        }
        const { messages, others } = await this.unsaid(lines);
        lines.push(...others);
        const committed = await this.committed(lines, staged);
        const hidden = committed.filter((file) => !isSeen(file, this.contents(file.path)));
        const { reader } = this.read.objects;
        const unseen = await changesOf(reader, hidden);
        if (unseen.more > 0) {
            return `Commits ${counted(hidden.length, "file")} that are not the project's, more than can be reviewed`;
        }
        const rest = committed.filter((file) => !hidden.includes(file));
        const isPlain = unseen.files.length === 0 && lines.every((line) => line.isPlain);
        const changes = lines.map(({ what, detail }) => ({ what, ...(detail && { detail }) }));
        return {
            shown: { changes, messages, unseen: unseen.files, isPlain },
            ...(plan.moves.length === 1 && lines[0]?.tip && { tip: lines[0].tip }),
            ...(await changesOf(reader, rest)),
        };
    }

    private moved(move: ReferenceMove): Promise<Line> {
        const [, , kind = "", short = ""] = /^(refs)\/([^/]+)\/(.+)$/.exec(move.name) ?? [];
        if (kind === "heads") return this.movedBranch(short, move);
        if (kind === "tags") return this.movedOther(`tag ${short}`, move);
        if (kind === "remotes") return this.movedRemote(short, move);
        return this.movedOther(`${kind} ${short}`, move);
    }

    private async movedBranch(
        short: string,
        { name, before, after }: ReferenceMove
    ): Promise<Line> {
        const { history } = this;
        if (after === undefined) {
            const lost = await history.countOnlyIn(before ?? "", this.idsAfter());
            const alone = lost > 0 ? `, ${counted(lost, "commit")} in no other branch` : "";
            return {
                what: `Delete branch ${short}`,
                detail: `was ${shortened(before ?? "")}${alone}`,
            };
        }
        const fresh = await history.fresh([after]);
        const from = before ?? this.commit ?? emptyTree(after);
        const title = await history.title(after);
        // The first commit makes the branch that is checked out.
        const isNew = before === undefined && name !== this.branch;
        const branch = isNew ? `new branch ${short}` : short;
        if (fresh.length === 0) return this.relocated(branch, before, after, title);
        const [ahead, behind] = before ? await history.distance(before, after) : [fresh.length, 0];
        const trees = [[from, after]] as const;
        const detail = [await this.history.extent(from, after), await history.strangers(fresh)];
        const said = { trees, detail: detail.filter(Boolean).join(", ") };
        if (behind === 0) {
            const isPlain =
                name === this.branch && name === this.branchAfter && ahead === fresh.length;
            const commits = fresh.length === 1 ? "Commit" : counted(fresh.length, "commit");
            return {
                what: `${commits} to ${branch}: ${title}`,
                ...said,
                isPlain: isPlain && !detail[1],
                ...(isPlain && ahead === 1 && before && { tip: { branch: name, commit: after } }),
            };
        }
        const isAmended = ahead === 1 && behind === 1;
        return {
            what: isAmended
                ? `Amend the last commit of ${branch}: ${title}`
                : `Rewrite ${branch} with ${counted(ahead, "commit")} instead of ${behind}: ${title}`,
            ...said,
        };
    }

    /** To a commit that the repository already has. */
    private async relocated(
        branch: string,
        before: string | undefined,
        after: string,
        title: string
    ): Promise<Line> {
        const place = `${shortened(after)} ${title}`;
        if (before === undefined) return { what: `Create ${branch} at ${place}` };
        const [ahead, behind] = await this.history.distance(before, after);
        const detail = [
            ahead > 0 ? `${counted(ahead, "commit")} forward` : "",
            behind > 0 ? `${counted(behind, "commit")} back` : "",
        ];
        return { what: `Move ${branch} to ${place}`, detail: detail.filter(Boolean).join(", ") };
    }

    private async movedOther(what: string, { before, after }: ReferenceMove): Promise<Line> {
        if (after === undefined) {
            return { what: `Delete ${what}`, detail: `was ${shortened(before ?? "")}` };
        }
        const isCommit = this.read.objects.types.get(after) !== "blob";
        const isShown = isCommit && !this.fetchedTags.has(after);
        const fresh = isShown ? await this.history.fresh([after]) : [];
        const title = isCommit ? ` ${await this.history.title(after)}` : "";
        const from = before ?? this.commit ?? emptyTree(after);
        return {
            what: `${before === undefined ? "Create" : "Move"} ${what} at ${shortened(after)}${title}`,
            ...(fresh.length > 0 && { trees: [[from, after] as const] }),
        };
    }

    /** Any program may write such a branch, so its line does not say that a fetch did. */
    private async movedRemote(short: string, { before, after }: ReferenceMove): Promise<Line> {
        if (after === undefined) return { what: `Delete ${short}` };
        return this.relocated(short, before, after, await this.history.title(after));
    }

    private async head(): Promise<readonly Line[]> {
        const { head } = this.read.plan;
        if (!head) return [];
        if (!isId(head.after)) {
            return [{ what: `Switch to ${head.after.slice("refs/heads/".length)}` }];
        }
        const fresh = await this.history.fresh([head.after]);
        const title = await this.history.title(head.after);
        if (fresh.length === 0) {
            return [{ what: `Detach HEAD at ${shortened(head.after)} ${title}` }];
        }
        const from = this.commit ?? emptyTree(head.after);
        const what = `Commit to no branch: ${title}`;
        const detail = await this.history.extent(from, head.after);
        return [{ what, detail, trees: [[from, head.after]] }];
    }

    private async stash(): Promise<readonly Line[]> {
        const { dropped = [], pushed = [], log = "" } = this.read.plan.stash ?? {};
        const entries = logLines(log).toReversed();
        const lines: Line[] = dropped.map((number) => ({
            what: `Drop stash@{${number}}: ${quoted(entries[number]?.message ?? "")}`,
            detail: `was ${shortened(entries[number]?.id ?? "")}`,
        }));
        for (const { id, message } of pushed) {
            const parents = await this.history.parents(id);
            const [from = emptyTree(id)] = parents;
            // The third parent holds the untracked files.
            const untracked = parents.slice(2).map((each) => [emptyTree(id), each] as const);
            lines.push({ what: `Stash: ${quoted(message)}`, trees: [[from, id], ...untracked] });
        }
        return lines;
    }

    /** What begins or ends, unless another line says so. */
    private async waiting(lines: readonly Line[]): Promise<readonly Line[]> {
        const names = {
            MERGE_HEAD: "merge",
            CHERRY_PICK_HEAD: "cherry-pick",
            REVERT_HEAD: "revert",
        };
        const unmerged = new Set(
            (this.read.staged?.entries ?? []).flatMap(({ tag, path }) => (tag === "M" ? path : []))
        );
        const found: Line[] = [];
        for (const { name, before, after } of this.read.plan.files) {
            const noun = Object.hasOwn(names, name) ? names[name as keyof typeof names] : undefined;
            if (noun !== undefined && before === undefined) {
                const detail = unmerged.size > 0 ? counted(unmerged.size, "conflict") : undefined;
                found.push({ what: `Begin a ${noun}`, ...(detail && { detail }) });
            } else if (noun !== undefined && after !== undefined) {
                found.push({ what: `Change the ${noun}` });
            } else if (noun !== undefined && lines.length === 0) {
                found.push({ what: `End the ${noun}` });
            }
        }
        const fetched = idsIn(this.read.plan.files.filter(({ name }) => name === "FETCH_HEAD"));
        const named = new Set(this.idsAfter());
        for (const id of fetched.filter((each) => !named.has(each)).slice(0, MAX_LINES)) {
            const title = await this.history.title(id);
            found.push({ what: `Name ${shortened(id)} ${title} in FETCH_HEAD` });
        }
        const isSaid = found.some(({ detail }) => detail !== undefined);
        if (unmerged.size > 0 && !isSaid) {
            found.push({ what: `Stage ${counted(unmerged.size, "conflict")}` });
        }
        return found;
    }

    /** What is staged and not committed, of what the command staged. */
    private async stagedFiles(): Promise<readonly ComparedFile[]> {
        const { staged, plan, objects } = this.read;
        if (!staged || !plan.index) return [];
        const sample = staged.entries[0]?.id ?? this.commitAfter ?? "";
        const reader = objects.reader.with({ GIT_INDEX_FILE: plan.index.file });
        const base = this.commitAfter ?? emptyTree(sample);
        const all = await comparedFiles(reader, ["diff-index", "--cached", base, "--"]);
        const own = new Set([...staged.paths].map(decoded));
        const unmerged = new Set(
            staged.entries.flatMap(({ tag, path }) => (tag === "M" ? path : []))
        );
        return all.filter(({ path }) => own.has(path) && !unmerged.has(path));
    }

    private async committed(
        lines: readonly Line[],
        staged: readonly ComparedFile[]
    ): Promise<readonly ComparedFile[]> {
        const found = new Map<string, ComparedFile>();
        const add = (file: ComparedFile) =>
            found.set(`${file.modes[1]} ${file.ids[1]} ${file.path}`, file);
        const { reader } = this.read.objects;
        const pairs = lines.flatMap(({ trees = [] }) => trees);
        for (const pair of pairs) {
            const compared = await comparedFiles(reader, ["diff-tree", "-r", ...pair]);
            for (const file of compared) add(file);
        }
        // A commit includes its ancestors, so none may hide contents that a later one reverts.
        const tips = new Set(pairs.map(([, after]) => after));
        const between = (await this.history.fresh(this.tips())).filter(({ id }) => !tips.has(id));
        for (const file of await comparedCommits(reader, between)) add(file);
        for (const file of [...staged, ...(this.read.staged?.conflicts ?? [])]) add(file);
        return [...found.values()];
    }

    /** The messages that it brings in, as far as no line says them; a stash's line does. */
    private async unsaid(lines: readonly Line[]): ReturnType<History["unsaid"]> {
        const { plan, objects } = this.read;
        const stashed = new Set(plan.stash?.pushed.map(({ id }) => id));
        const tips = this.tips().filter((id) => !stashed.has(id));
        const tags = tips.filter((id) => objects.types.get(id) === "tag");
        return this.history.unsaid(tips, tags, lines);
    }

    /** The commits that it brings in, except those of other repositories. */
    private tips(): readonly string[] {
        const { plan, objects } = this.read;
        const tags = this.movedTo("tags").filter((id) => !this.fetchedTags.has(id));
        const ids = [
            ...[...this.movedTo("heads"), ...tags, ...this.movedTo("notes")],
            ...(plan.stash?.pushed.map(({ id }) => id) ?? []),
            ...(plan.head ? [plan.head.after] : []),
            ...idsIn(plan.files.filter(({ name }) => name !== "FETCH_HEAD")),
        ];
        return ids.filter((id) => /^(?:commit|tag)$/.test(objects.types.get(id) ?? ""));
    }

    private movedTo(kind: "heads" | "tags" | "notes" | "remotes"): readonly string[] {
        return this.read.plan.moves.flatMap(({ name, after }) =>
            after !== undefined && name.startsWith(`refs/${kind}/`) ? after : []
        );
    }

    private idsAfter(): readonly string[] {
        const gone = new Set(this.read.plan.moves.map(({ name }) => name));
        const kept = [...this.read.known].flatMap(([name, id]) => (gone.has(name) ? [] : id));
        const moved = this.read.plan.moves.flatMap(({ after }) => after ?? []);
        return [...kept, ...moved, ...(this.commitAfter === undefined ? [] : [this.commitAfter])];
    }
}
