import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { builtin } from "../../../src/builtin/index.js";
import type { JsonObject, Tool } from "../../../src/plugin/index.js";
import { makeToolContext, type TestToolContext } from "../../helpers/tool-context.js";

/** What a required field holds where "TOKEN" does not do. */
const FIELDS: JsonObject = { mode: "before", line: 1, content: "X" };

/** The part of JSON Schema from which an input can be made. */
interface Schema {
    readonly properties?: Readonly<Record<string, object>>;
    readonly required?: readonly string[];
}

/** The field that names the one file that a tool works on. */
function fileField({ inputSchema }: Tool): string | undefined {
    const { properties = {} }: Schema = inputSchema;
    return ["file", "path"].find((field) => field in properties);
}

function use(tool: Tool, file: string, context: TestToolContext): Promise<unknown> {
    const { required = [] }: Schema = tool.inputSchema;
    const fields = required.map((field) => [field, FIELDS[field] ?? "TOKEN"]);
    const input = { ...Object.fromEntries(fields), [fileField(tool) ?? ""]: file };
    return tool.approval === "write" ? tool.propose(input, context) : tool.execute(input, context);
}

describe("A secret file that the user does not open", () => {
    for (const tool of builtin.tools ?? []) {
        if (fileField(tool) === undefined) continue;
        it(`${tool.name} reveals nothing of a secret file, however its path is spelled`, async () => {
            const context = await makeToolContext({ files: { ".env": "TOKEN=hunter2\n" } });
            await mkdir(path.join(context.root, "src"));
            await symlink("../.env", path.join(context.root, "src", "settings.txt"));
            await symlink(".", path.join(context.root, "here"));
            for (const written of [
                ".env",
                "./.env",
                "src/../.env",
                "src/settings.txt",
                "here/.env",
                path.join(context.root, ".env"),
            ]) {
                const result = await use(tool, written, context).catch(String);
                expect(result, written).to.match(/looks like a secret|is not a folder/);
            }
        });
    }
});
