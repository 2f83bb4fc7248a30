import { type Command, Option } from "commander";
import { cacheSettings, demoModel, runDefaults, unsupportedPolicies } from "../../app/run/config/settings.js";
import { PILOT_USERS } from "../../app/run/run.js";
import { addPaceFlags } from "./add-pace-flags.js";
import { collect, gather, integer, number, positive } from "./run-flags.js";

/** Adds the flags that `run` and `sweep` share. */
export function addRunFlags(command: Command): Command {
  const sized = command
    .option("-t, --task <names>", "tasks, comma separated (lamp-eval list tasks)")
    .option("-m, --method <names>", "methods, comma separated (lamp-eval list methods), or exec:COMMAND (docs/EXEC.md)")
    .option("--name <text>", "what the experiment is called, e.g. the title of its page; changes no result")
    .option("--model <provider/id>", `model, or several, comma separated (default: ${demoModel}, the embedded one)`)
    .option("--metric <names>", "metrics besides those of the tasks, comma separated: rmse, rouge-2, ...")
    .option("--data <dir>", "data folder, or task=dir,task=dir (default: the built-in demo data)")
    .option(
      "--demo",
      "demo data, embedded model and encoder, recorded Wikipedia: runs any config without network or key",
    )
    .option("--users <n>", "the first n users; --set data.users=drawn: users drawn by --seed", integer)
    .option("--queries-per-user <n>", "at most n questions a user, drawn by data.querySeed", integer)
    .option("--limit <n>", "at most n questions in all, from all users in turn (--set data.limitOrder)", integer)
    .option("--history-limit <latest:n>", "cut each history to its n latest events")
    .option("--set <name=value>", "set an option by its dotted name; repeatable (lamp-eval list options)", collect)
    .option("--preset <name>", "all options as a published table has them, e.g. paper-000-t2")
    .option(
      "--config <file.yaml>",
      "settings from a file; flags win; with --dry-run repeatable, for the sum of several runs",
      gather,
    )
    .option("--repeats <n>", "independent repeats of every question", integer)
    .option("--seed <n>", `seed of everything random (default: ${runDefaults.seed})`, integer);
  return addPaceFlags(sized)
    .addOption(
      new Option(
        "--batch [agents]",
        "send calls in batches, at half the price, answered within a day; agents: also methods that ask turn after turn",
      ).choices(["agents"]),
    )
    .option("--detach", "with --batch: end once everything is out; the same command collects it, also days later")
    .option("--batch-again", "with --batch: send again what may have been taken, at the risk of paying twice")
    .option(
      "--deadline-seconds <n>",
      "longest that one try of a call may take (default: 120; 600 where the model thinks)",
      number,
    )
    .option(
      "--drain-seconds <n>",
      `after Ctrl-C, SIGTERM or SIGHUP, how long calls in flight are waited for (default: ${runDefaults.drainSeconds})`,
      number,
    )
    .option(
      "--max-calls <n>",
      "stop after n calls, tries counted; a higher cap goes on; a shard counts its own",
      integer,
    )
    .option(
      "--max-usd <x>",
      "stop before more dollars than this are spent; a higher cap goes on; a shard counts its own",
      number,
    )
    .option("--purse <file>", "the caps are those of all runs that name this file, also of two at once")
    .option("--prices <file.yaml>", "prices of your own, which come before the list (docs/PROVIDERS.md)")
    .option(
      "--max-failed <share>",
      `exit 1 when a larger share of questions failed (default: ${runDefaults.maxFailed})`,
      number,
    )
    .option(
      "--max-unparsed <share>",
      `exit 1 when a larger share of replies could not be read (default: ${runDefaults.maxUnparsed})`,
      number,
    )
    .addOption(
      new Option(
        "--unsupported <policy>",
        `parameters that the model refuses (default: ${runDefaults.unsupported})`,
      ).choices(unsupportedPolicies),
    )
    .addOption(
      new Option(
        "--cache <when>",
        `mark prompts for the provider's cache where that saves money: loops and repeated prompts (default: ${runDefaults.cache})`,
      ).choices(cacheSettings),
    )
    .option("--base-url <url>", "server of the provider, e.g. http://localhost:8000/v1")
    .option("--exec-env <name>", "a variable that exec: programs get although it may hold a secret; repeatable", gather)
    .option("--online", "prequential: ask in order of time; right answers enter memory once scored")
    .option("--out <dir>", "run folder (default: results/<tasks>-<methods>-<plan>)")
    .option("--replay <cassette>", "answer only from this recording (lamp-eval cassette export); nothing is sent")
    .option(
      "--shard <i/n>",
      "only the users of this shard, e.g. 3/8; lamp-eval merge joins the shards (docs/SHARDS.md)",
    )
    .option("--dry-run", "print calls, tokens, dollars and minutes: fewest, expected, most; send nothing")
    .option("--count", "with --dry-run: have the model's endpoint count the tokens of 30 prompts, which is free")
    .option(
      "--pilot [users]",
      `begin with some users of each task and print what the whole run will cost (default: ${PILOT_USERS}); goes on below --max-usd`,
      positive,
    )
    .option("--yes", "go on after the pilot whatever it says")
    .option("--json", "print the results as JSON on stdout");
}
