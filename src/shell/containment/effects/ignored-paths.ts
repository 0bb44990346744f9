import path from "node:path";

type IsIgnored = (path: string, type: "file" | "dir") => Promise<boolean>;

/** Which paths git ignores. Remembers the answer of each folder. */
export class IgnoredPaths {
    private readonly folders = new Map<string, Promise<string | undefined>>();

    constructor(readonly isIgnored: IsIgnored) {}

    async covers(location: string, isFolder: boolean): Promise<boolean> {
        if ((await this.folderAround(location, isFolder)) !== undefined) return true;
        return !isFolder && this.isIgnored(location, "file");
    }

    /** The uppermost ignored folder that a path lies in, or is. */
    folderAround(location: string, isFolder: boolean): Promise<string | undefined> {
        return this.ignoredAt(isFolder ? location : path.dirname(location));
    }

    private ignoredAt(folder: string): Promise<string | undefined> {
        if (folder === ".") return Promise.resolve(undefined);
        const known = this.folders.get(folder);
        if (known) return known;
        const answer = this.ignoredAt(path.dirname(folder)).then(
            async (around) => around ?? ((await this.isIgnored(folder, "dir")) ? folder : undefined)
        );
        this.folders.set(folder, answer);
        return answer;
    }
}
