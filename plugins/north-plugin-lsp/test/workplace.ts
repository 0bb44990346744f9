import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import type {
    ChangeSet,
    Finding,
    PlainTool,
    StartContained,
    ToolContext,
    ToolResult,
} from "north-cli/plugin";
import { toolContext } from "north-cli/plugin-testing";
import { startProcess } from "../../../src/shell/containment/linux/contained-process.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { ContainedProject } from "../../../test/shell/containment/contained.js";
import type { Tree } from "../../../test/workspace/make-folder.js";
import { TypesCheck } from "../src/check.js";
import { LIMITS, type Limits } from "../src/limits.js";
import { lookUpTools } from "../src/look-up.js";
import { Pool } from "../src/pool.js";
import { patient } from "../../../test/helpers/patience.js";

/** Where npm has put the servers of this repository. */
const PATH = `${path.resolve("node_modules/.bin")}:${process.env.PATH}`;

/** A project for tsserver, which finds this repository's TypeScript. */
export const TYPESCRIPT = {
    "package.json": '{"type": "module"}\n',
    "tsconfig.json": JSON.stringify({
        compilerOptions: { strict: true, module: "nodenext", target: "es2022", types: [] },
        include: ["src"],
    }),
};

/** A project with language servers, as North gives them to the plugin. */
export class Workplace {
    readonly pool: Pool;
    readonly check: TypesCheck;
    readonly started: string[] = [];
    readonly context: ToolContext;

    private constructor(
        readonly project: ContainedProject,
        searchPath: string,
        limits: Limits
    ) {
        const { root } = project;
        this.pool = new Pool(root, searchPath, limits);
        this.check = new TypesCheck(this.pool);
        const workspace = openWorkspace({ root });
        this.context = toolContext({ workspace, startContained: this.start });
    }

    /** A review waits for all findings by default, however long a busy machine takes. */
    static async make(
        tree: Tree,
        searchPath = PATH,
        limits: Limits = {
            ...LIMITS,
            start: patient(LIMITS.start),
            request: patient(LIMITS.request),
            review: patient(150_000),
        }
    ): Promise<Workplace> {
        const project = await ContainedProject.make(tree, {
            environment: { ...process.env, PATH },
            settings: { show: [path.resolve("node_modules")], hide: [] },
        });
        return new Workplace(project, searchPath, limits);
    }

    readonly start: StartContained = async (command, options) => {
        this.started.push(command);
        const { root, containment, home } = this.project;
        const variables = new Map(Object.entries({ PATH, HOME: home }));
        const state = { folder: root, variables, definitions: "" };
        return startProcess(containment, command, { state }, options);
    };

    async call(name: string, input: object): Promise<ToolResult> {
        return this.tool(name).execute(input, this.context);
    }

    tool(name: string): PlainTool {
        const tool = this.tools().find((each) => each.name === name);
        if (!tool) throw new Error(`${name} is no such tool.`);
        return tool;
    }

    tools(): readonly PlainTool[] {
        return lookUpTools(this.pool);
    }

    /** What the check finds in a proposal, the first time that it is asked. */
    async findings(proposal: ChangeSet): Promise<readonly Finding[]> {
        return this.check.onProposal(proposal, this.checkContext);
    }

    /** What it tells the user and the model after a call. */
    told() {
        const call = { callId: "c1", tool: "read_file", approval: "none", input: {} } as const;
        return this.check.afterCall(call, this.checkContext);
    }

    private get checkContext() {
        const { workspace, signal } = this.context;
        const conversation = { conversationId: "abc123", mode: "agent" } as const;
        return { ...conversation, workspace, signal, startContained: this.start };
    }
}

export function isInstalled(program: string): boolean {
    return PATH.split(":").some((folder) => existsSync(path.join(folder, program)));
}

export function answers(program: string): boolean {
    return spawnSync(program, ["--version"], { env: { ...process.env, PATH } }).status === 0;
}

/** What a tool would propose: contents by path, `null` for none. */
export async function changeSet(
    { context: { workspace } }: Workplace,
    contents: Readonly<Record<string, string | null>>
): Promise<ChangeSet> {
    const changes = Object.entries(contents).map(async ([file, content]) => {
        const now = await workspace.read(file).catch(() => undefined);
        const after = content === null ? null : Buffer.from(content);
        const before = now?.bytes ?? null;
        return { path: file, before, beforeHash: now?.hash ?? null, after };
    });
    return { changes: await Promise.all(changes) };
}
