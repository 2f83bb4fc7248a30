/** Own word lists: what plots under the usual movie tags talk about. */
export const movies: Readonly<Record<string, string>> = {
  "sci-fi": `space spaceship spacecraft alien aliens planet planets galaxy robot robots android cyborg future futuristic
    time-travel technology scientist scientists experiment experiments clone cloned genetic virus mutant mutants earth moon
    mars astronaut astronauts star starship ship crew lab laboratory machine machines computer artificial intelligence
    invasion extraterrestrial dimension parallel universe orbit colony crash wormhole simulation`,
  "based on a book": `novel novelist book adaptation adapted author writer story tale bestselling literary wizard school
    young boarding orphan estate heir governess journal letters chapter boy magical`,
  comedy: `comedy funny hilarious hilarity laugh joke jokes misadventures antics wacky zany slacker buddies buddy friends
    roommate party bachelor wedding vacation road-trip prank pranks goofy clumsy awkward loser losers nerd nerdy coach
    boss office neighbor neighbors in-laws dad mom family comedian bumbling unlikely ensues hijinks mistaken dates girlfriend`,
  action: `agent agents cia mission hitman assassin assassins mercenary mercenaries soldier soldiers army commando special
    forces weapon weapons explosive bomb terrorist terrorists heist chase fight fighter fights battle martial cop cops
    police detective hero villain save stop rescue kidnapped hostage revenge race cars gang superhero enemy enemies train
    bodyguard deadly dangerous elite warrior spy spies nuclear`,
  "twist ending": `mystery mysterious secret secrets investigate investigation disappearance disappeared missing strange
    truth discovers uncover uncovers clues clue suspicious murder memory memories amnesia identity illusion puzzle stranger
    trapped island hotel therapist patient haunted reality detective wife revealed conspiracy paranoia asylum`,
  dystopia: `dystopian dystopia future totalitarian regime society apocalypse apocalyptic post-apocalyptic survivors survive
    survivor wasteland rebel rebels rebellion resistance oppressive government controlled control corporation overpopulated
    plague zombies humanity citizens forbidden arena games ruled ruling district slavery outbreak extinct`,
  "dark comedy": `dark twisted absurd black satire satirical murder corpse dead death funeral suicide dysfunctional eccentric
    quirky hitmen hitman bizarre misfit cynical neurotic botched ransom scheme goes wrong accidentally kills mob inept
    bumbling criminals suburban crooks drug dealer`,
  classic: `classic 1930s 1940s 1950s war casablanca western cowboy sheriff outlaw gunslinger newspaper tycoon gangster
    godfather mafia don monster king empire epic legendary silent musical singer hotel nazi train lady gentleman detective
    private eye millionaire general roman hollywood star aging boxer`,
  psychology: `psychological psychologist psychiatrist psychiatric patient patients mental mind mentally insane insanity
    asylum therapy therapist obsession obsessed obsessive schizophrenia disorder trauma traumatic delusions hallucinations
    personality depressed depression memory memories dreams dream subconscious paranoid madness killer serial isolation
    guilt insomnia addiction identity loneliness`,
  fantasy: `magic magical wizard wizards witch witches dragon dragons kingdom king queen prince princess castle sword
    sorcerer fairy fairies elf elves dwarf quest prophecy curse cursed spell enchanted mythical creature creatures legend
    gods god demon demons vampire vampires werewolf ring realm immortal powers evil world adventure beast`,
  romance: `love loves lover lovers romance romantic relationship affair marriage married marry wedding fiance fiancee
    girlfriend boyfriend couple falls fall heart hearts kiss passion soul mate soulmate dating date woman man meets meet
    bride summer beautiful feelings together husband wife chance paris`,
  "thought-provoking": `life meaning existence philosophical philosophy question questions reality truth death dying mind
    human humanity humans consciousness memory memories freedom faith god choice choices consequences moral morality fate
    time universe dream dreams journey discover lives existential future professor perception`,
  "social commentary": `society social class poor poverty wealthy rich race racial racism racist prejudice discrimination
    inequality corporate corporation corruption corrupt political politics media television consumer consumerism capitalism
    ghetto slums immigrant immigrants black white workers union strike protest system city neighborhood privilege apartheid
    justice injustice activist lawyer`,
  violence: `violent violence brutal blood bloody gang gangs gangster gangsters mob mafia crime criminal criminals drug
    drugs cartel murder murders killer killers killing kill revenge vengeance torture prison inmates gun guns shootout
    massacre slaughter war street serial yakuza savage rape robbery hunt psychopath`,
  "true story": `true real real-life life biopic biography biographical based events history historical story inspired
    year years famous war 1960s 1970s 1980s world career rise journalist activist lawyer mathematician athlete boxer
    football coach team survivor survived holocaust president king leader musician singer scandal american`,
};
