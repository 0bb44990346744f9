import * as fs from "node:fs";
import path from "node:path";
import { Workplace } from "../north-program.js";
import { PROJECT } from "./google-server.js";
import { KEY, type PlainScript, type VendorServer, VENDORS } from "./vendors.js";

const PLUGINS = ["north-provider-mistral", "north-provider-google", "north-provider-bedrock"];

/** A workplace whose North talks to a strict stand-in for each vendor. */
export class VendorWorkplace extends Workplace {
    readonly servers: Record<string, VendorServer> = {};
    // Puts oclif's files into North's own data folder.
    private readonly vendors: Record<string, string> = {
        NORTH_DATA_DIR: this.data,
        AWS_REGION: "us-east-1",
        AWS_BEARER_TOKEN_BEDROCK: KEY,
        CLOUDSDK_AUTH_ACCESS_TOKEN: KEY,
        GOOGLE_CLOUD_PROJECT: PROJECT,
    };

    /** Starts the vendors' servers, each with its own script. */
    async serve(scriptOf: (vendor: string) => PlainScript): Promise<void> {
        this.linkPlugins();
        for (const { provider, serve } of VENDORS) {
            const { id, keyVariable = "", baseURLVariable = "" } = provider;
            // Vertex AI's Gemini comes first; its Claude has the same variables.
            if (this.servers[id]) continue;
            const server = await serve(scriptOf(id));
            this.servers[id] = server;
            if (keyVariable !== "") this.vendors[keyVariable] = KEY;
            if (baseURLVariable !== "") this.vendors[baseURLVariable] = server.url;
        }
        const baseURL = this.servers.house?.url;
        const house = { baseURL, keyVariable: "HOUSE_KEY", models: ["llama3"] };
        this.configure({ providers: { house } });
    }

    override environment(extra: Parameters<Workplace["environment"]>[0] = {}) {
        return super.environment({ ...this.vendors, ...extra });
    }

    override async remove(): Promise<void> {
        await Promise.all(Object.values(this.servers).map((server) => server.close()));
        await super.remove();
    }

    /** Links the built plugins, as `north plugins link` does. */
    private linkPlugins(): void {
        const plugins = PLUGINS.map((name) => {
            const built = path.resolve("plugins", name);
            const root = path.join(this.folder, name);
            fs.cpSync(path.join(built, "dist"), path.join(root, "dist"), { recursive: true });
            fs.copyFileSync(path.join(built, "package.json"), path.join(root, "package.json"));
            fs.symlinkSync(path.resolve("node_modules"), path.join(root, "node_modules"));
            return { name, root, type: "link" };
        });
        const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
        fs.mkdirSync(this.data, { recursive: true });
        fs.writeFileSync(path.join(this.data, "package.json"), JSON.stringify(content));
    }
}
