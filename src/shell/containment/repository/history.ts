import { counted, truncate, truncateMiddle } from "../../../base/format.js";
import { NorthError } from "../../../base/north-error.js";
import type { CommitMessage, GitChange } from "../../../plugin/git-changes.js";
import { COMPARING, decoded, type ObjectReader } from "./layered-git.js";
import { cleaned, isId } from "./references.js";

const MAX_TITLE = 72;
/** More new commits are not reviewed. */
const MAX_COMMITS = 1000;
/** More messages are counted. */
const [MAX_MESSAGES, MAX_MESSAGE] = [20, 10_000];

export interface Commit {
    readonly id: string;
    readonly parents: readonly string[];
    /** The first line of its message, in quotes. */
    readonly title: string;
    /** All of it, without blanks at its end. */
    readonly message: string;
    /** Its author and its committer: `T <t@example.org>`. */
    readonly people: readonly string[];
}

/** In the order of the fields of `Commit`. They are separated by NULs. */
const FORMAT = ["%H", "%P", "%s", "%B", "%an <%ae>", "%cn <%ce>"];

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

    /** What the messages of new commits and tags say, except titles in `lines`; others are counted. */
    async unsaid(
        tips: readonly string[],
        tags: readonly string[],
        lines: readonly GitChange[]
    ): Promise<{
        readonly messages: readonly CommitMessage[];
        readonly others: readonly (GitChange & { readonly isPlain: true })[];
    }> {
        const isSaid = ({ title, message }: Commit) =>
            quoted(message) === title && lines.some(({ what }) => what.endsWith(` ${title}`));
        const commits = (await this.fresh(tips)).filter((commit) => !isSaid(commit));
        const found = [
            ...(await Promise.all(tags.map((id) => this.annotation(id)))),
            ...commits.map(({ id, message }) => ({ of: shortened(id), message })),
        ];
        const messages = found.slice(0, MAX_MESSAGES).map(({ of, message }) => ({
            of,
            text: truncateMiddle(message, MAX_MESSAGE),
        }));
        const more = found.length - messages.length;
        const what = `Add ${counted(more, "more message")}, not shown`;
        return { messages, others: more > 0 ? [{ what, isPlain: true }] : [] };
    }

    private async annotation(id: string) {
        const text = decoded(await this.reader.need(["cat-file", "tag", id]));
        const at = text.indexOf("\n\n");
        const name = /^tag (.*)$/m.exec(text.slice(0, at))?.[1];
        return { of: `tag ${name ?? ""}`, message: at < 0 ? "" : text.slice(at).trim() };
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
            const [id = "", parents = "", subject = "", text = "", ...people] = fields.slice(
                at,
                at + FORMAT.length
            );
            const title = quoted(truncate(cleaned(subject), MAX_TITLE));
            const message = text.trimEnd();
            commits.push({
                id,
                parents: parents.split(" ").filter(Boolean),
                title,
                message,
                people,
            });
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
