import path from "node:path";
import type { PlainTool, StartContained, ToolContext, ToolResult } from "north-cli/plugin";
import { toolContext } from "north-cli/plugin-testing";
import { startProcess } from "../../../src/shell/containment/linux/contained-process.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { ContainedProject } from "../../../test/shell/containment/contained.js";
import type { Tree } from "../../../test/workspace/make-folder.js";
import { lookUpTools } from "../src/look-up.js";
import { Pool } from "../src/pool.js";

/** Where npm has put the servers of this repository. */
const PATH = `${path.resolve("node_modules/.bin")}:${process.env.PATH}`;

/** A project for tsserver, which finds this repository's TypeScript. */
export const TYPESCRIPT: Tree = {
    "package.json": '{"type": "module"}\n',
    "tsconfig.json": JSON.stringify({
        compilerOptions: { strict: true, module: "nodenext", target: "es2022", types: [] },
        include: ["src"],
    }),
};

/** A project with language servers, as North gives them to the plugin. */
export class Workplace {
    readonly pool: Pool;
    readonly started: string[] = [];
    readonly context: ToolContext;

    private constructor(readonly project: ContainedProject) {
        const { root } = project;
        this.pool = new Pool(root, PATH);
        const workspace = openWorkspace({ root });
        this.context = toolContext({ workspace, startContained: this.start });
    }

    static async make(tree: Tree): Promise<Workplace> {
        const project = await ContainedProject.make(tree, {
            environment: { ...process.env, PATH },
            settings: { show: [path.resolve("node_modules")], hide: [] },
        });
        return new Workplace(project);
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
}
