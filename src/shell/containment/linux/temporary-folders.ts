import { chmodSync, mkdirSync } from "node:fs";
import path from "node:path";
import { removeTree } from "../../private-folder.js";

const SESSION = {};

/** A folder that one run has for itself. */
interface TakenFolder {
    /** Relative to the base folder. */
    readonly name: string;
    release(): Promise<void>;
}

/**
 * The folders behind `/tmp`: each owner has one for all its runs. Security: never two runs at once.
 * Through a socket there, one could hand the other descriptors, which would outlive it and change
 * what North is reading.
 */
export class TemporaryFolders {
    private readonly owned = new WeakMap<object, string>();
    private readonly taken = new Set<string>();
    private made = 0;

    constructor(
        private readonly base: string,
        /** What something is mounted on. */
        private readonly mountPoints: readonly string[]
    ) {
        mkdirSync(path.join(base, "tmp"));
    }

    /** For a run alone, or if the owner's is taken, one that is removed on release. */
    take(owner: object | "run" = SESSION): TakenFolder {
        const own = owner === "run" ? undefined : this.owned.get(owner);
        const isPassing = owner === "run" || (own !== undefined && this.taken.has(own));
        const name = own === undefined || isPassing ? this.make() : own;
        if (!isPassing) this.owned.set(owner, name);
        this.taken.add(name);
        // The last run may have changed it.
        chmodSync(path.join(this.base, name), 0o1777);
        return {
            name,
            release: async () => {
                this.taken.delete(name);
                if (isPassing) await removeTree(path.join(this.base, name));
            },
        };
    }

    private make(): string {
        const name = `tmp/${(this.made += 1)}`;
        const folder = path.join(this.base, name);
        mkdirSync(folder);
        for (const each of this.mountPoints) mkdirSync(path.join(folder, each));
        return name;
    }
}
