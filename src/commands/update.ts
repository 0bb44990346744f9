import { BaseCommand } from "../host/command-line/base-command.js";
import { findInstallation } from "../host/doctor/installation.js";

export default class Update extends BaseCommand {
    static override summary = "Show how North was installed and how to update it.";
    static override description =
        "Changes nothing and contacts no server. `north plugins update` updates the plugins.";
    static override examples = ["north update", "north update --json"];

    async run(): Promise<unknown> {
        await this.parse(Update);
        const { version, root } = this.config;
        const { from, folder, update } = findInstallation(root);
        this.log(`North ${version}, installed from ${from} in ${folder}.`);
        this.log(`To update it: ${update}`);
        return { version, from, folder, update };
    }
}
