"""What export_classifier.py and train_classifier.py are made of."""
