// Predictions of another program, scored as the benchmark's own script scores them.
import { type OfficialAnswers, score } from "lamp-eval";

const golds: OfficialAnswers = {
  task: "LaMP_3",
  golds: [
    { id: "310", output: "5" },
    { id: "311", output: "2" },
    { id: "312", output: "4" },
    { id: "313", output: "1" },
  ],
};

const mine = new Map([
  ["310", "5"],
  ["311", "4"],
  ["312", "4"],
  ["313", "I would say 1"],
]);

const predictions: OfficialAnswers = {
  task: "LaMP_3",
  golds: golds.golds.map(({ id }) => ({ id, output: mine.get(id) ?? "" })),
};

const { scores, count, unparsed } = await score({ task: "lamp3", predictions, golds });
for (const [name, value] of Object.entries(scores)) console.log(`${name} ${value.toFixed(4)}`);
console.log(`questions: ${count}, answers that are no rating: ${unparsed}`);

/* It prints:
MAE 1.5000
RMSE 2.2361
questions: 4, answers that are no rating: 1
*/
