import { lstatSync, type Stats } from "node:fs";
import path from "node:path";
import { attempt } from "../../../base/attempt.js";
import { runGit } from "../../../base/git.js";
import { NorthError } from "../../../base/north-error.js";
import { readRegularFile } from "../../../base/read-regular-file.js";

/** Longer than the references of the largest repositories. */
const MAX_BYTES = 64 * 1024 ** 2;
const TIMEOUT_MS = 60_000;

/** A repository's `.gitmodules` may say that changes of submodules are not shown. */
export const COMPARING = ["--no-renames", "--no-ext-diff", "--ignore-submodules=none"];

/** A path in git's folder that a command touched. */
export interface Touched {
    readonly path: string;
    readonly before: LayerEntry | undefined;
    readonly after: LayerEntry | undefined;
    /** Why it cannot be reviewed; `path` is then for display only. */
    readonly unfit?: string;
}

interface LayerEntry {
    readonly kind: "file" | "link" | "folder" | "other";
    readonly stats: Stats;
}

/** Git's folder before a command and after it. Whatever the command wrote there is only data. */
export class LayeredGit {
    private readonly byPath: ReadonlyMap<string, Touched>;

    constructor(
        readonly layers: {
            /** The original, as on disk. */
            readonly lower: string;
            readonly upper: string;
            /** The work tree. */
            readonly root: string;
            /** The subfolder, in both layers, that belongs to this work tree. */
            readonly own: string;
        },
        readonly touched: readonly Touched[]
    ) {
        this.byPath = new Map(touched.map((each) => [each.path, each]));
    }

    /** The name of this work tree's own file, such as HEAD. */
    own(name: string): string {
        return path.join(this.layers.own, name);
    }

    isTouched(place: string): boolean {
        return this.byPath.has(place);
    }

    before(place: string): string | undefined {
        return readIn(this.layers.lower, place);
    }

    after(place: string): string | undefined {
        const touched = this.byPath.get(place);
        if (touched) return touched.after && readIn(this.layers.upper, place);
        return this.before(place);
    }

    /** Whether the command's version is the original's. */
    isSame(place: string): boolean {
        const before = this.before(place);
        return before !== undefined && before === readIn(this.layers.upper, place);
    }

    upper(place: string): string {
        return path.join(this.layers.upper, place);
    }

    lower(place: string): string {
        return path.join(this.layers.lower, place);
    }
}

/** Reads a file through real folders only: a link may lead out of the layer. */
function readIn(layer: string, place: string): string | undefined {
    for (let folder = path.dirname(place); ; folder = path.dirname(folder)) {
        if (!isRealFolder(path.join(layer, folder))) return undefined;
        if (folder !== ".") continue;
        // Never a link or a named pipe, which the command may have put there.
        const read = readRegularFile(path.join(layer, place), MAX_BYTES);
        return read?.isWhole ? read.bytes.toString("latin1") : undefined;
    }
}

/** Not for any other path either: one with a NUL, or too long. */
function isRealFolder(place: string): boolean {
    return attempt(() => lstatSync(place).isDirectory(), false);
}

/** Git over the real repository and the objects of one folder beside it. */
export class ObjectReader {
    constructor(
        readonly root: string,
        readonly variables: NodeJS.ProcessEnv
    ) {}

    /** `objects`: a folder of objects; those of the repository are found as well. */
    static over(root: string, objects: string, repositorys: string): ObjectReader {
        return new ObjectReader(root, {
            GIT_NO_REPLACE_OBJECTS: "1",
            GIT_OBJECT_DIRECTORY: objects,
            GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(repositorys),
        });
    }

    with(variables: NodeJS.ProcessEnv): ObjectReader {
        return new ObjectReader(this.root, { ...this.variables, ...variables });
    }

    /** Git's output, one character a byte; `undefined` if it fails. */
    async read(commandLine: readonly string[], input?: string): Promise<string | undefined> {
        const { root, variables } = this;
        const bytes = input === undefined ? {} : { input: Buffer.from(input, "latin1") };
        const options = { variables, timeoutMs: TIMEOUT_MS, ...bytes };
        const output = await runGit(root, commandLine, options);
        return output?.complete ? output.stdout.toString("latin1") : undefined;
    }

    /** Like `read`; rejects with `git-failed`, since no answer must not look like nothing. */
    async need(commandLine: readonly string[], input?: string): Promise<string> {
        const output = await this.read(commandLine, input);
        if (output !== undefined) return output;
        throw new NorthError("git-failed", `git ${commandLine[0]} failed.`);
    }

    /** The type or size of each object, by id; `missing` of one that is not there. */
    async facts(
        fact: "objecttype" | "objectsize",
        ids: readonly string[]
    ): Promise<ReadonlyMap<string, string>> {
        if (ids.length === 0) return new Map();
        const format = `--batch-check=%(objectname) %(${fact})`;
        const listing = await this.need(["cat-file", format], ids.map((id) => `${id}\n`).join(""));
        return new Map(
            [...listing.matchAll(/^(\S+) (\S+)$/gm)].map(([, id = "", value = ""]) => [id, value])
        );
    }
}

/** What git wrote as UTF-8, from one character a byte. */
export function decoded(bytes: string): string {
    return Buffer.from(bytes, "latin1").toString("utf8");
}

/** Folders in such a list are separated by colons, unless quoted as in C. */
function quoted(folder: string): string {
    return `"${folder.replace(/["\\]/g, "\\$&")}"`;
}
