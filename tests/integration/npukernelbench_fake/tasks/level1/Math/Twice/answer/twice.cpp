poison : import must never read this folder
