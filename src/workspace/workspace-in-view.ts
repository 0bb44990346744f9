import type { Workspace } from "../plugin/workspace.js";
import type { Reader, SharedWorkspace, ViewSource } from "./shared-workspace.js";

/** Answers from the project if the view is empty, else through the view. */
export class WorkspaceInView implements SharedWorkspace {
    readonly root: string;

    constructor(
        private readonly parts: {
            readonly source: ViewSource;
            /** Lets `changed` read through the view of this moment. */
            show(): Promise<void>;
            readonly project: SharedWorkspace;
            readonly changed: SharedWorkspace;
        },
        private readonly project: Workspace = parts.project,
        private readonly changed: Workspace = parts.changed
    ) {
        this.root = project.root;
    }

    readBy(reader: Reader): Workspace {
        const { parts } = this;
        const [project, changed] = [parts.project.readBy(reader), parts.changed.readBy(reader)];
        return new WorkspaceInView(parts, project, changed);
    }

    inView(source: ViewSource): SharedWorkspace {
        return this.parts.project.inView(source);
    }

    relative(path: string): string {
        return (this.isEmpty ? this.project : this.changed).relative(path);
    }

    status: Workspace["status"] = async (...given) => (await this.current()).status(...given);
    read: Workspace["read"] = async (...given) => (await this.current()).read(...given);
    readLines: Workspace["readLines"] = async (...given) =>
        (await this.current()).readLines(...given);
    list: Workspace["list"] = async (...given) => (await this.current()).list(...given);
    files: Workspace["files"] = async (...given) => (await this.current()).files(...given);
    sizes: Workspace["sizes"] = async (...given) => (await this.current()).sizes(...given);
    versions: Workspace["versions"] = async (...given) => (await this.current()).versions(...given);
    find: Workspace["find"] = async (...given) => (await this.current()).find(...given);
    search: Workspace["search"] = async (...given) => (await this.current()).search(...given);
    activity: Workspace["activity"] = async (...given) => (await this.current()).activity(...given);
    isIgnored: Workspace["isIgnored"] = async (...given) =>
        (await this.current()).isIgnored(...given);

    private get isEmpty(): boolean {
        return this.parts.source.view().size === 0;
    }

    private async current(): Promise<Workspace> {
        if (this.isEmpty) return this.project;
        await this.parts.show();
        return this.changed;
    }
}
