import type { ChangeSet, ToolContext } from "../../../plugin/index.js";
import { NorthError } from "../../../base/north-error.js";
import { isProtectedPath } from "../../../plugin/protected-path.js";
import { MAX_FILE_BYTES } from "../../../code/text/text-file.js";

export interface DraftFile {
    /** Relative to the root. */
    readonly path: string;
    readonly bytes: Uint8Array;
    /** Someone else changed it since the model last read or edited it. */
    readonly isChangedSinceRead: boolean;
}

interface Original {
    readonly bytes: Uint8Array;
    readonly hash: string;
}

/** The files of a change set in progress; writes nothing to disk. */
export class Draft {
    readonly #files = new Map<string, { original: Original | null; current: DraftFile }>();

    constructor(private readonly context: Pick<ToolContext, "workspace" | "observed">) {}

    /** Rejects like `workspace.read`, and with `protected-path`. */
    async read(path: string): Promise<DraftFile> {
        const relative = this.#checked(path);
        const known = this.#files.get(relative);
        if (known !== undefined) return known.current;

        const { bytes, hash, ignored } = await this.context.workspace.read(relative, {
            maxBytes: MAX_FILE_BYTES,
        });
        if (ignored) {
            throw new NorthError("ignored", `${relative} is ignored by the repository.`, [
                "Ignored files can be read, not edited; leave them to their tools or the user.",
            ]);
        }
        const seen = this.context.observed(relative);
        const isChangedSinceRead = seen !== undefined && seen !== hash;
        const current = { path: relative, bytes, isChangedSinceRead };
        this.#files.set(relative, { original: { bytes, hash }, current });
        return current;
    }

    async find(path: string): Promise<DraftFile | undefined> {
        const relative = this.#checked(path);
        const isThere =
            this.#files.has(relative) || (await this.context.workspace.status(relative)) !== null;
        return isThere ? this.read(relative) : undefined;
    }

    write(path: string, bytes: Uint8Array): void {
        const relative = this.#checked(path);
        const known = this.#files.get(relative);
        this.#files.set(relative, {
            original: known?.original ?? null,
            current: { path: relative, isChangedSinceRead: false, ...known?.current, bytes },
        });
    }

    changeSet(): ChangeSet {
        const changed = [...this.#files.values()].filter(
            ({ original, current }) =>
                original === null || Buffer.compare(original.bytes, current.bytes) !== 0
        );
        const changes = changed.map(({ original, current }) => ({
            path: current.path,
            before: original?.bytes ?? null,
            beforeHash: original?.hash ?? null,
            after: current.bytes,
        }));
        return { changes };
    }

    #checked(path: string): string {
        const relative = this.context.workspace.relative(path);
        if (isProtectedPath(relative)) {
            throw new NorthError("protected-path", `${relative} belongs to git or to North.`, [
                "Files in .git and .north are never edited; leave them to the user.",
            ]);
        }
        return relative;
    }
}
