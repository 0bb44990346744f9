import { counted, truncate } from "../../../base/format.js";
import { NorthError } from "../../../base/north-error.js";
import { COMPARING, decoded, type ObjectReader } from "./layered-git.js";
import { cleaned, isId } from "./references.js";

const MAX_TITLE = 72;
/** More new commits are not reviewed. */
const MAX_COMMITS = 1000;

export interface Commit {
    readonly id: string;
    readonly parents: readonly string[];
    /** The first line of its message, in quotes. */
    readonly title: string;
    /** Its author and its committer: `T <t@example.org>`. */
    readonly people: readonly string[];
}

/** In the order of the fields of `Commit`. They are separated by NULs. */
const FORMAT = ["%H", "%P", "%s", "%an <%ae>", "%cn <%ce>"];

/** Answers questions about commits. Rejects with `git-failed`. */
export class History {
    private user: Promise<string> | undefined;
    private readonly read = new Map<string, Commit>();
    private readonly asked = new Map<string, Promise<readonly Commit[]>>();

    /** `known`: all commits that references lead to. */
    constructor(
        private readonly reader: ObjectReader,
        private readonly known: readonly string[]
    ) {}

    /** New commits that new references lead to, and `others` do not, newest first. */
    async fresh(
        ids: readonly string[],
        others: readonly string[] = []
    ): Promise<readonly Commit[]> {
        if (ids.length === 0) return [];
        const old = [...this.known, ...others];
        const revisions = without(ids, old);
        const asked =
            this.asked.get(revisions) ?? this.commits(revisions, `--max-count=${MAX_COMMITS + 1}`);
        this.asked.set(revisions, asked);
        const found = await asked;
        if (found.length <= MAX_COMMITS) return found;
        throw new NorthError("git-failed", `More than ${MAX_COMMITS} commits are new.`);
    }

    async countOnlyIn(id: string, others: readonly string[]): Promise<number> {
        const counting = ["rev-list", "--count", "--stdin"];
        return Number(await this.reader.need(counting, without([id], others))) || 0;
    }

    /** How many commits there are from one to the other, forward and back. */
    async distance(before: string, after: string): Promise<readonly [number, number]> {
        const range = `${before}...${after}`;
        const counts = await this.reader.need(["rev-list", "--left-right", "--count", range]);
        const [behind = "", ahead = ""] = counts.trim().split("\t");
        return [Number(ahead), Number(behind)];
    }

    /** Those of `ids`, commits or tags of commits, that `others` lead to. */
    async reachedFrom(
        others: readonly string[],
        ids: readonly string[]
    ): Promise<ReadonlySet<string>> {
        if (others.length === 0 || ids.length === 0) return new Set();
        const input = ids.map((id) => `${id}^{commit}\n`).join("");
        const found = lines(await this.reader.need(["cat-file", "--batch-check"], input));
        const commits = new Map(
            ids.flatMap((id, index) => {
                const commit = /^([0-9a-f]+) commit /.exec(found[index] ?? "")?.[1];
                return commit === undefined ? [] : [[id, commit]];
            })
        );
        const fresh = await this.fresh([...commits.values()], others);
        const missed = new Set(fresh.map(({ id }) => id));
        return new Set([...commits].flatMap(([id, commit]) => (missed.has(commit) ? [] : id)));
    }

    async title(id: string): Promise<string> {
        return (await this.commit(id))?.title ?? '""';
    }

    async parents(id: string): Promise<readonly string[]> {
        return (await this.commit(id))?.parents ?? [];
    }

    /** `undefined` for a tag of a tree. */
    private async commit(id: string): Promise<Commit | undefined> {
        return this.read.get(id) ?? (await this.commits(`${id}\n`, "--no-walk"))[0];
    }

    /** `by T <t@example.org>` if another than the user made one of these commits. */
    async strangers(commits: readonly Commit[]): Promise<string | undefined> {
        this.user ??= this.identity();
        const user = await this.user;
        const other = commits.flatMap(({ people }) => people).find((name) => name !== user);
        return other === undefined ? undefined : `by ${other}`;
    }

    /** `3 files +12 -4` */
    async extent(before: string, after: string): Promise<string> {
        const listing = await this.reader.need([
            ...["diff-tree", "-r", "--numstat", "-z", "--no-textconv"],
            ...[...COMPARING, before, after],
        ]);
        const counts = [...listing.matchAll(/(?:^|\0)(\d+|-)\t(\d+|-)\t/g)];
        const sum = (side: 1 | 2) =>
            counts.reduce((total, count) => total + (Number(count[side]) || 0), 0);
        return `${counted(counts.length, "file")} +${sum(1)} -${sum(2)}`;
    }

    private async identity(): Promise<string> {
        const output = await this.reader.read(["var", "GIT_AUTHOR_IDENT"]);
        return decoded(output ?? "").replace(/ \d+ [+-]\d+\n$/, "");
    }

    private async commits(revisions: string, option: string): Promise<readonly Commit[]> {
        const format = `--format=${FORMAT.join("%x00")}`;
        const options = [option, "-z", "--no-mailmap", "--encoding=UTF-8", format];
        const output = await this.reader.need(["log", ...options, "--stdin"], revisions);
        const fields = decoded(output).split("\0");
        const commits: Commit[] = [];
        for (let at = 0; at + FORMAT.length < fields.length; at += FORMAT.length) {
            const [id = "", parents = "", subject = "", ...people] = fields.slice(
                at,
                at + FORMAT.length
            );
            const title = quoted(truncate(cleaned(subject), MAX_TITLE));
            commits.push({ id, parents: parents.split(" ").filter(Boolean), title, people });
        }
        for (const commit of commits) this.read.set(commit.id, commit);
        return commits;
    }
}

/** For git's `--stdin`. */
function without(ids: readonly string[], others: readonly string[]): string {
    return [...ids, ...others.map((other) => `^${other}`), ""].join("\n");
}

function lines(text: string): readonly string[] {
    return text.split("\n").filter((line) => line !== "");
}

/** The commit that HEAD leads to. */
export function resolved(
    head: string | undefined,
    references: ReadonlyMap<string, string>
): string | undefined {
    return head !== undefined && isId(head) ? head : references.get(head ?? "");
}

/** No message ends its quotation: what would follow could look like another change. */
export function quoted(message: string): string {
    return `"${message.replaceAll('"', "'")}"`;
}

export function shortened(id: string): string {
    return id.slice(0, 7);
}
