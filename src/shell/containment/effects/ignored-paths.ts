import path from "node:path";

/** Which paths git ignores. Remembers the answer of each folder. */
export class IgnoredPaths {
    private readonly folders = new Map<string, Promise<string | undefined>>();

    constructor(readonly isIgnored: (path: string, type: "file" | "dir") => Promise<boolean>) {}

    async covers(location: string, type: "file" | "dir"): Promise<boolean> {
        if ((await this.folderAround(location, type)) !== undefined) return true;
        return type === "file" && this.isIgnored(location, type);
    }

    /** The topmost ignored folder that contains a path, or is that path. */
    folderAround(location: string, type: "file" | "dir"): Promise<string | undefined> {
        return this.ignoredAt(type === "dir" ? location : path.dirname(location));
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
