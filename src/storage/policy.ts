import * as Type from "typebox";
import type { ContainmentMode } from "../plugin/index.js";
import { checker, list, object } from "../base/json-schema.js";
import { asSentence } from "../base/format.js";
import { NorthError } from "../base/north-error.js";
import { messageOf } from "../base/system-error.js";
import { readJson } from "./files/json-file.js";

/** Fixed: a variable or a setting that moves it would be the way around it. */
const POLICY_FILE = "/etc/north/policy.json";

const name = Type.String({ minLength: 1 });
const rule = Type.String({
    pattern: "^[^()]+(\\([\\s\\S]*\\))?$",
    expected: "a rule such as `Bash(git push *)`",
});

const rules = object(
    {
        /** Commands run at least this contained. */
        containment: Type.Optional(Type.Enum(["auto", "required"])),
        /** `false`: no flag and no grant lets all edits or all commands pass. */
        automatic: Type.Optional(Type.Literal(false, { expected: "false" })),
        /** Permission rules, such as `Bash(git push *)`; calls that meet one are refused. */
        deny: Type.Optional(list(rule)),
        /** IDs of the only providers; the offline model stays. */
        providers: Type.Optional(list(name)),
        /** Names of the only plugins besides North itself. */
        plugins: Type.Optional(list(name)),
    },
    // A misspelt rule must not count as no rule.
    { additionalProperties: false }
);
const rulesChecker = checker(rules);

type PolicyRules = Type.Static<typeof rules>;

/** From the widest to the tightest. `external` runs commands for real without asking. */
const MODES: readonly ContainmentMode[] = ["external", "off", "auto", "required"];

/** The administrator's rules for this machine. All they can do is tighten. */
export class Policy {
    constructor(
        private readonly rules: PolicyRules,
        readonly file: string
    ) {}

    get isAutomaticAllowed(): boolean {
        return this.rules.automatic !== false;
    }

    get deny(): readonly string[] {
        return this.rules.deny ?? [];
    }

    /** The tighter one of this mode and the policy's. */
    mode(mode: ContainmentMode): ContainmentMode {
        const { containment = mode } = this.rules;
        return MODES.indexOf(containment) > MODES.indexOf(mode) ? containment : mode;
    }

    /** Throws `denied-by-policy` for a looser mode than the policy's. */
    requireMode(mode: ContainmentMode): void {
        if (this.mode(mode) !== mode) throw this.denial(`Containment \`${mode}\``);
    }

    /** Throws `denied-by-policy` if nothing may be approved automatically. */
    requireAutomatic(subject: string): void {
        if (!this.isAutomaticAllowed) throw this.denial(subject);
    }

    /** Throws `denied-by-policy` for a model, such as `openai/gpt-5.1`, of another provider. */
    requireModel(model: string): void {
        const [provider, id] = model.split("/", 2);
        if (id === undefined || provider === undefined) return;
        if (!this.allows("providers", provider)) throw this.denial(`The provider ${provider}`);
    }

    allows(kind: "providers" | "plugins", value: string): boolean {
        return this.rules[kind]?.includes(value) ?? true;
    }

    /** For the user: what a rule refused, and whose rule it is. */
    refusal(subject: string): string {
        return `${subject} is not allowed on this machine, by ${this.file}`;
    }

    private denial(subject: string): NorthError {
        return new NorthError("denied-by-policy", `${this.refusal(subject)}.`, [
            "`north doctor` lists the rules of this machine.",
        ]);
    }

    /** The rules, in words: `containment: required`. */
    describe(): readonly string[] {
        return Object.entries(this.rules).map(
            ([rule, value]) =>
                `${rule}: ${Array.isArray(value) ? value.join(", ") || "none" : String(value)}`
        );
    }
}

/** Reads the policy; no file means no rules. Throws `config-corrupt` if it cannot be followed. */
export async function readPolicy(file = POLICY_FILE): Promise<Policy | undefined> {
    const stored = await readJson(file).catch((error: unknown) => {
        throw unusable(file, messageOf(error));
    });
    if (stored.kind === "absent") return undefined;
    if (stored.kind === "corrupt") throw unusable(file, stored.reason);
    const { value } = stored;
    if (rulesChecker.fits(value)) return new Policy(value, file);
    throw unusable(file, rulesChecker.problem(value) ?? "it does not fit its schema");
}

function unusable(file: string, reason: string): NorthError {
    const sentence = asSentence(`The policy ${file} cannot be followed: ${reason}`);
    return new NorthError("config-corrupt", sentence, [
        "North does not start without it. Ask whoever administers this machine.",
    ]);
}
