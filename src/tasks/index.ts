import { registry } from "../registry/registry.js";
import { alexLike, personachat } from "./dialogue.js";
import { homeCommands } from "./home-commands.js";
import { lampQa } from "./lamp-qa.js";
import { lamp1 } from "./lamp1.js";
import { lamp2m } from "./lamp2m.js";
import { lamp2n } from "./lamp2n.js";
import { lamp3 } from "./lamp3.js";
import { lamp4 } from "./lamp4.js";
import { lamp5 } from "./lamp5.js";
import { lamp7 } from "./lamp7.js";
import { longlampAbstract } from "./longlamp-abstract.js";
import { longlampReview } from "./longlamp-review.js";
import { longlampTopic } from "./longlamp-topic.js";
import { personamem } from "./personamem.js";
import { profileQuestions } from "./profile-questions.js";

/** LaMP's task of e-mail subjects, which is only scored. */
export const mailTask = registry("task", [{ name: "lamp6", official: "LaMP_6", kind: "text", labels: [] }] as const, {
  furtherNames: ({ official }) => [official],
});

/**
 * All tasks. Spellings such as `LaMP-2M`, `LaMP_2M` and OPPU's names are the tasks' own aliases. `LaMP_2` is the movie task,
 * as in the official scorer of today; files of 2023 use that name for news, which `lamp2n` scores when asked for by name.
 */
export const tasks = registry(
  "task",
  [
    alexLike,
    homeCommands,
    lamp1,
    lamp2m,
    lamp2n,
    lamp3,
    lamp4,
    lamp5,
    lamp7,
    lampQa,
    longlampAbstract,
    longlampReview,
    longlampTopic,
    personachat,
    personamem,
    profileQuestions,
  ],
  {
    furtherNames: (task) => [task.official, ...task.aliases],
    whyAbsent: (name) =>
      mailTask.find(name) && `${name}: its data, the Avocado e-mails, are not public; lamp-eval score scores its files`,
  },
);
