import type { ModelInfo } from "../../plugin/index.js";
import type { Budget, BudgetVerdict } from "../../core/costs/budget.js";
import { formatUsd } from "../../base/format.js";
import type { BudgetSettings } from "../../storage/config.js";
import { followSpending, type Spending } from "../../storage/costs/spending.js";

interface BudgetOptions {
    readonly settings: BudgetSettings;
    /** The run has its own limit (`--max-cost`), which needs known prices too. */
    readonly hasRunLimit: boolean;
    readonly dataFolder: string;
    readonly configFile: string;
    conversationId(): string;
    now(): number;
}

interface BudgetLimit {
    readonly setting: keyof BudgetSettings;
    readonly usd: number;
    describe(spent: string, budget: string): string;
    spent(): Promise<number>;
    /** The conversation or day whose limit a yes raises. */
    scope(): string;
}

/** The budgets in `config.json`; `undefined` if nothing limits the costs. */
export function createBudget(options: BudgetOptions): Budget | undefined {
    const limits = limitsOf(options, followSpending(options.dataFolder));
    if (limits.length === 0 && !options.hasRunLimit) return undefined;
    const raised = new Map<string, number>();
    const warned = new Set<string>();
    return {
        async check(model) {
            for (const limit of limits) {
                const key = `${limit.setting} ${limit.scope()}`;
                const allowed = raised.get(key) ?? limit.usd;
                const spent = await limit.spent();
                if (spent < allowed) continue;
                // Costs may be many times the budget by now; a yes covers future ones.
                const raiseLimit = () => raised.set(key, spent + limit.usd);
                return verdict(limit, spent, options.configFile, raiseLimit);
            }
            return withinVerdict(model, warned);
        },
    };
}

function verdict(
    limit: BudgetLimit,
    spent: number,
    configFile: string,
    raiseLimit: () => void
): BudgetVerdict {
    const sentence = limit.describe(formatUsd(spent), formatUsd(limit.usd));
    const nextSteps = [`\`budget.${limit.setting}\` in ${configFile} sets it.`];
    return { kind: "spent", sentence, nextSteps, raiseLimit };
}

/** Says once per model that its price is unknown, since a budget seems to promise more. */
function withinVerdict(model: ModelInfo, warned: Set<string>): BudgetVerdict {
    if (model.prices !== undefined || warned.has(model.id)) return { kind: "within" };
    warned.add(model.id);
    const notice = `The price of ${model.displayName} is unknown, so no budget counts it.`;
    return { kind: "within", notice };
}

function limitsOf(
    { settings, conversationId, now }: BudgetOptions,
    spending: Spending
): readonly BudgetLimit[] {
    const kinds: readonly Omit<BudgetLimit, "usd">[] = [
        {
            setting: "perConversationUsd",
            describe: (spent, budget) =>
                `The conversation budget of ${budget} is spent: this conversation has cost ${spent}.`,
            spent: () => spending.conversationUsd(conversationId()),
            scope: conversationId,
        },
        {
            setting: "perDayUsd",
            describe: (spent, budget) =>
                `The daily budget of ${budget} is spent: today has cost ${spent}.`,
            spent: () => spending.dayUsd(now()),
            scope: () => new Date(now()).toDateString(),
        },
    ];
    return kinds.flatMap((kind) => {
        const usd = settings[kind.setting];
        return usd === undefined ? [] : { ...kind, usd };
    });
}
