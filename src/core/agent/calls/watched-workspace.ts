import type { Workspace } from "../../../plugin/index.js";

/** The same workspace; `onFile` is told of each file that was read or searched in by itself. */
export function watchedWorkspace(workspace: Workspace, onFile: (path: string) => void): Workspace {
    return {
        root: workspace.root,
        relative: (path) => workspace.relative(path),
        status: (path) => workspace.status(path),
        async read(path, options) {
            const file = await workspace.read(path, options);
            onFile(file.path);
            return file;
        },
        list: (path) => workspace.list(path),
        files: (options) => workspace.files(options),
        find: (pattern, options) => workspace.find(pattern, options),
        async search(query, options) {
            const result = await workspace.search(query, options);
            if (options.file !== undefined) onFile(workspace.relative(options.file));
            return result;
        },
        activity: (options) => workspace.activity(options),
        isIgnored: (path, type) => workspace.isIgnored(path, type),
    };
}
