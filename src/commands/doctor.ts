import { Flags } from "@oclif/core";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { describeChecks, describeContainmentHere, runDoctor } from "../host/doctor/run-doctor.js";

export default class Doctor extends BaseCommand {
    static override summary = "Check that this machine has what North needs, and suggest fixes.";
    static override description =
        "Checks Node, git, ripgrep, bash, the terminal, folders, settings, keys and plugins. Changes nothing and contacts no server. Exits with 1 if something does not work.";
    static override examples = ["north doctor", "north doctor --json"];

    static override flags = {
        containment: Flags.boolean({ description: "Show what a contained command sees here." }),
    };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Doctor);
        if (flags.containment) {
            const lines = await describeContainmentHere(this.directories, process.env);
            this.log(lines.join("\n"));
            return lines;
        }
        const checks = await withSpinner("Checking this machine", () =>
            runDoctor({ ...this.surroundings, output: process.stdout })
        );
        this.log(describeChecks(checks));
        const isBroken = checks.some(({ status }) => status === "broken");
        if (isBroken) process.exitCode = 1;
        return { ok: !isBroken, checks };
    }
}
