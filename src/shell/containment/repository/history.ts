import { counted, truncate } from "../../../base/format.js";
import { NorthError } from "../../../base/north-error.js";
import { decoded, type ObjectReader } from "./layered-git.js";
import { isId } from "./references.js";

const MAX_TITLE = 72;
/** More new commits are not reviewed. */
const MAX_COMMITS = 1000;

/** Answers questions about commits. Rejects with `git-failed`. */
export class History {
    private user: Promise<string> | undefined;

    /** `known`: all commits that references lead to. */
    constructor(
        private readonly reader: ObjectReader,
        private readonly known: readonly string[]
    ) {}

    /** New commits that new references lead to, and `others` do not, newest first. */
    async fresh(
        ids: readonly string[],
        others: readonly string[] = []
    ): Promise<readonly string[]> {
        if (ids.length === 0) return [];
        const old = [...this.known, ...others];
        const found = lines(await this.list(ids, old, `--max-count=${MAX_COMMITS + 1}`));
        if (found.length <= MAX_COMMITS) return found;
        throw new NorthError("git-failed", `More than ${MAX_COMMITS} commits are new.`);
    }

    async countOnlyIn(id: string, others: readonly string[]): Promise<number> {
        return Number(await this.list([id], others, "--count")) || 0;
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
        const missed = new Set(await this.fresh([...commits.values()], others));
        return new Set([...commits].flatMap(([id, commit]) => (missed.has(commit) ? [] : id)));
    }

    async parents(id: string): Promise<readonly string[]> {
        const output = await this.reader.need(["rev-list", "--parents", "--max-count=1", id]);
        return output.trim().split(" ").slice(1);
    }

    /** The first line of a commit's message, in quotes. */
    async title(id: string): Promise<string> {
        const output = await this.log([id], "%s");
        const [subject = ""] = lines(output);
        return `"${truncate(subject, MAX_TITLE)}"`;
    }

    /** `by T <t@example.org>` if another than the user made one of these commits. */
    async strangers(ids: readonly string[]): Promise<string | undefined> {
        this.user ??= this.identity();
        const user = await this.user;
        const output = await this.log(ids, "%an <%ae>%n%cn <%ce>");
        const other = lines(output).find((name) => name !== user);
        return other === undefined ? undefined : `by ${other}`;
    }

    /** `3 files +12 -4` */
    async extent(before: string, after: string): Promise<string> {
        const listing = await this.reader.need([
            ...["diff-tree", "-r", "--numstat", "-z", "--no-renames"],
            ...["--no-ext-diff", "--no-textconv", before, after],
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

    private async log(ids: readonly string[], format: string): Promise<string> {
        const options = ["--no-walk", "--no-mailmap", "--encoding=UTF-8", `--format=${format}`];
        const output = await this.reader.need(
            ["log", ...options, "--stdin"],
            `${ids.join("\n")}\n`
        );
        return decoded(output);
    }

    private list(ids: readonly string[], others: readonly string[], option: string) {
        return this.reader.need(
            ["rev-list", option, "--stdin"],
            [...ids, ...others.map((other) => `^${other}`), ""].join("\n")
        );
    }
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

export function shortened(id: string): string {
    return id.slice(0, 7);
}
